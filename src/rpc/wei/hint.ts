import { INSUFFICIENT_FUNDS } from '../../chain/state/vmError.ts'
import { RpcError } from '../../lib/errors.ts'
import type { AnyMethod } from '../method.ts'

/** A billion coins. As 10^-18 of the coin it is a thousandth of one, so a lack of so much is most likely a wrong unit. */
const SUSPICIOUS = 10n ** 15n

/** Methods with the value of a transaction. */
const NAMES = [
  'buildTransaction',
  'eth_call',
  'eth_estimateGas',
  'eth_fillTransaction',
  'eth_sendRawTransaction',
  'eth_sendTransaction',
  'eth_signTransaction',
]

/**
 * The same methods for a coin with 6 decimals. When an account lacks a very large amount, as viem and ethers compute it with
 * 18 decimals, the error says how to count like that.
 */
export function withUnitHints(methods: Record<string, AnyMethod>): Record<string, AnyMethod> {
  const hinted = NAMES.flatMap((name) => {
    const method = methods[name]
    return method ? [[name, withHint(method)] as const] : []
  })
  return { ...methods, ...Object.fromEntries(hinted) }
}

function withHint(method: AnyMethod): AnyMethod {
  return {
    ...method,
    async handler(context, params, call) {
      try {
        return (await method.handler(context, params, call)) as unknown
      } catch (error) {
        throw isSuspicious(error, params) ? hintedError(error) : error
      }
    },
  }
}

function isSuspicious(error: unknown, [first]: readonly unknown[]): error is RpcError {
  if (!(error instanceof RpcError) || !error.message.startsWith(INSUFFICIENT_FUNDS)) return false
  const [, wanted] = / want (\d+)/.exec(error.message) ?? []
  return BigInt(wanted ?? 0) >= SUSPICIOUS || valueOf(first) >= SUSPICIOUS
}

/** The value of a decoded transaction, which may stand beside its unit. */
function valueOf(param: unknown): bigint {
  const value = (param as { value?: unknown } | undefined)?.value
  if (typeof value === 'bigint') return value
  return typeof value === 'object' && value !== null ? valueOf(value) : 0n
}

function hintedError(error: RpcError): RpcError {
  const { code, data, message } = error
  return new RpcError(
    code,
    `${message} (amounts here are in 10^-6 of the coin; for 18 decimals use the path /wei, or on a development chain --decimals 18)`,
    { cause: error, ...(data !== undefined && { data }) },
  )
}
