import type { Hex } from 'viem'

import { callError } from '../../chain/state/vmError.ts'
import { revertReason } from '../../codec/revert.ts'
import { ExecutionRevertedError, RpcError } from '../../lib/errors.ts'
import type { AnyMethod } from '../../rpc/method.ts'
import {
  EstimateFailure,
  EthereumError,
  ForkError,
  RefusedError,
  ReplayError,
  resolving,
  TraceSizeError,
  TraceTimeoutError,
} from '../index.ts'
import type { ChainBlock, VmResult } from '../index.ts'

/** The error for a failed call: code `3` with the revert data, or `-32000` with the reason. */
export function callFailure({ failure, output }: VmResult): RpcError {
  if (failure?.result === 'REVERT') {
    const data = `0x${Buffer.from(output).toString('hex')}` as const
    return new ExecutionRevertedError(data, revertReason(data))
  }
  const exception = failure?.exception?.split('$').at(-1)
  return callError({
    kind: 'failure',
    code: 'OTHER_ERROR',
    message: failure?.message ?? '',
    exception,
  })
}

/** The error for a transaction that failed in its block, in Hardhat's format. */
export function transactionFailure({
  contractResult = [],
  id,
  receipt,
  resMessage = '',
}: ChainBlock['infos'][number]): RpcError {
  const hasReverted = receipt?.result === 'REVERT'
  const data: Hex = hasReverted ? `0x${contractResult[0] ?? ''}` : '0x'
  const reason = revertReason(data)
  const message = hasReverted
    ? `execution reverted${reason ? `: ${reason}` : ''}`
    : `transaction failed: ${Buffer.from(resMessage, 'hex').toString()}`
  return new RpcError(hasReverted ? 3 : -32000, message, {
    data: { message, txHash: `0x${id}`, data },
  })
}

/**
 * Turns the chain's errors into JSON-RPC errors. A handler runs again after a value of a forked chain was fetched, so it must
 * change the chain only through methods that fetch these values themselves.
 */
export function withRpcErrors(methods: Record<string, AnyMethod>): Record<string, AnyMethod> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      {
        ...method,
        async handler(context, params) {
          try {
            return (await resolving(() => method.handler(context, params))) as unknown
          } catch (error) {
            throw toRpcError(error)
          }
        },
      } satisfies AnyMethod,
    ]),
  )
}

/** Errors whose message is sent to the client. */
const PUBLIC_ERRORS = [
  EthereumError,
  ForkError,
  RefusedError,
  ReplayError,
  TraceSizeError,
  TraceTimeoutError,
]

function toRpcError(error: unknown): unknown {
  if (error instanceof EstimateFailure)
    return error.result.failure?.result === 'OUT_OF_ENERGY'
      ? new RpcError(-32000, `gas required exceeds allowance (${error.limit})`)
      : callFailure(error.result)
  if (PUBLIC_ERRORS.some((kind) => error instanceof kind))
    return new RpcError(-32000, (error as Error).message, { cause: error })
  return error
}
