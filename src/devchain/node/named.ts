import { type AnyMethod, type Decoded, defineMethod } from '../../rpc/method.ts'
import type { AnyParam } from '../../rpc/params/params.ts'

/** A method that changes the chain and answers `true`, as Hardhat does. */
export function returningTrue<const decoders extends readonly AnyParam[]>(
  summary: string,
  params: decoders,
  change: (...values: Decoded<decoders>) => unknown,
) {
  return defineMethod({
    params,
    summary,
    async handler(_, values) {
      await change(...values)
      return true
    },
  })
}

/** The same with the answer `null`, as on anvil. */
export function returningNull<const decoders extends readonly AnyParam[]>(
  ...definition: Parameters<typeof returningTrue<decoders>>
): AnyMethod {
  return answeringNull(returningTrue<decoders>(...definition))
}

/** A method under the prefixes that tools use for it. */
export function named(
  prefixes: readonly string[],
  name: string,
  method: AnyMethod,
): Record<string, AnyMethod> {
  return Object.fromEntries(prefixes.map((prefix) => [`${prefix}_${name}`, method]))
}

/** A method that returns `true` under the prefixes of Hardhat and, as anvil does, `null` under those of anvil. */
export function aliases(
  { anvil = ['anvil'], hardhat = ['hardhat'] }: aliases.Prefixes,
  name: string,
  method: AnyMethod,
): Record<string, AnyMethod> {
  return { ...named(hardhat, name, method), ...named(anvil, name, answeringNull(method)) }
}

export declare namespace aliases {
  type Prefixes = { anvil?: readonly string[]; hardhat?: readonly string[] }
}

/** The same method with `null` as its result. */
export function answeringNull({ result: _result, ...method }: AnyMethod): AnyMethod {
  return {
    ...method,
    async handler(context, params, call) {
      await method.handler(context, params, call)
      return null
    },
  }
}
