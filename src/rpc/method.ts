import { SUN } from '../codec/unit.ts'
import { InvalidParamsError, RpcError } from '../lib/errors.ts'
import type { JsonSchema } from '../lib/jsonSchema.ts'
import type { Context } from './context.ts'
import type { AnyParam, Param, ParamScope } from './params/params.ts'
import type { ClientCall } from './request.ts'

/** What the schemas of results consist of. */
export * as schemas from '../codec/schemas.ts'

/** One JSON-RPC method: how to read its positional parameters, how to answer, and its row in docs/methods.md. */
export type Method<params extends readonly unknown[], result> = {
  params: { readonly [key in keyof params]: Param<params[key]> }
  handler: (context: Context, params: params, call: ClientCall) => Promise<result> | result
  /** Served from the chain, always the same answer, or refused with a reason. @default 'served' */
  kind?: 'served' | 'fixed' | 'refused'
  /** One line for the table of docs/methods.md. */
  summary: string
  /** Schema of the result, for the OpenRPC document. */
  result?: JsonSchema
  /** Only offered on the full view, not on `/solidity`. @default false */
  fullOnly?: boolean
}

/** A method with any parameters and result. */
// oxlint-disable-next-line typescript/no-explicit-any -- tables hold methods of different types
export type AnyMethod = Method<any, any>

/** The values that a tuple of decoders returns. */
export type Decoded<decoders extends readonly AnyParam[]> = {
  readonly [key in keyof decoders]: ReturnType<decoders[key]>
}

/** Infers a method's parameter and result types from its definition. */
export function defineMethod<const decoders extends readonly AnyParam[], result>(
  method: Omit<Method<Decoded<decoders>, result>, 'params'> & { params: decoders },
): Method<Decoded<decoders>, result> {
  return method as Method<Decoded<decoders>, result>
}

/**
 * Decodes positional params, then runs the handler. Surplus parameters are ignored, as Ethereum nodes do.
 *
 * @throws InvalidParamsError naming the position and what was expected.
 */
export function callMethod<params extends readonly unknown[], result>(
  method: Method<params, result>,
  context: Context,
  input: readonly unknown[],
  call: ClientCall,
): Promise<result> | result {
  const decoders = method.params as readonly Param<unknown>[]
  const read = decode(decoders, input, context) as readonly unknown[] as params
  return method.handler(context, read, call)
}

function decode(
  decoders: readonly Param<unknown>[],
  input: readonly unknown[],
  context: Context,
): unknown[] {
  const params: unknown[] = []
  if (decoders.length === 0) return params
  const scope: ParamScope = {
    unit: SUN,
    contractAt: (address) => context.sending.contractAt(address),
    inData: (data) => context.sending.inData(data),
  }
  try {
    for (const decoder of decoders) params.push(decoder(input[params.length], scope))
    return params
  } catch (error) {
    if (error instanceof RpcError) throw error
    throw new InvalidParamsError(params.length, (error as Error).message)
  }
}
