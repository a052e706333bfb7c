import { type Amounts, amountsIn, inUnit } from '../../codec/amounts.ts'
import { WEI } from '../../codec/unit.ts'
import { fromPrepared, isPrepared, toPrepared, type Prepared } from '../../lib/prepared.ts'
import type { AnyMethod } from '../method.ts'
import { type Param, PLAIN } from '../params/params.ts'

/**
 * The same methods for clients that count the coin with 18 decimals. Parameters are decoded in that unit (`-32602` when an
 * amount is not a whole number of sun). Amounts in results, which the schema of a result names, are multiplied by 10^12.
 */
export function weiMethods(methods: Record<string, AnyMethod>): Record<string, AnyMethod> {
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, inWei(method)]))
}

function inWei(method: AnyMethod): AnyMethod {
  const decoders = method.params as readonly Param<unknown>[]
  const amounts = amountsIn(method.result)
  return {
    ...method,
    params: decoders.map((decode): Param<unknown> =>
      Object.assign(
        (...[input, scope]: Parameters<Param<unknown>>) =>
          decode(input, { ...PLAIN, ...scope, unit: WEI }),
        decode.doc && { doc: decode.doc },
      ),
    ),
    ...(amounts && {
      handler: async (context, params, call) =>
        convert(amounts, (await method.handler(context, params, call)) as unknown),
    }),
  }
}

/** Converted answers. Answers that are cached as bytes do not change, so each is converted at most once. */
const converted = new WeakMap<Prepared<unknown>, Prepared<unknown>>()

function convert(amounts: Amounts, result: unknown): unknown {
  if (!isPrepared(result)) return inUnit(amounts, result, WEI)
  let prepared = converted.get(result)
  if (!prepared)
    converted.set(result, (prepared = toPrepared(inUnit(amounts, fromPrepared(result), WEI))))
  return prepared
}
