import { RpcError } from '../errors.ts'
import type { AnyMethod } from '../jsonrpc/method.ts'
import { fromWire, isWire } from '../lib/wire.ts'
import { coinAmounts, scale, type Shape, toSun, toWei } from './scale.ts'

/**
 * The same methods for clients that believe in 18 decimals: amounts of the coin are divided by 10^12 on their way in
 * (`-32602` when that leaves a remainder) and multiplied on their way out.
 */
export function weiMethods(methods: Record<string, AnyMethod>): Record<string, AnyMethod> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, inWei(name, method)]),
  )
}

function inWei(name: string, method: AnyMethod): AnyMethod {
  const { params: shapes = [], result: shape } = coinAmounts[name] ?? {}
  const decoders = method.params as readonly ((input: unknown) => unknown)[]
  return {
    ...method,
    params: decoders.map((decode, index) => {
      const shape = shapes[index]
      return shape ? (input: unknown) => decode(scale(shape, input, toSun)) : decode
    }),
    async handler(context, params) {
      const result: unknown = await method.handler({ ...context, coin: 'wei' }, params)
      return shape ? outward(shape, result) : result
    },
  }
}

function outward(shape: Shape, result: unknown): unknown {
  try {
    return scale(shape, isWire(result) ? fromWire(result) : result, toWei)
  } catch (cause) {
    throw new RpcError(-32603, 'Internal error', { cause })
  }
}
