import type { RpcError } from '../lib/errors.ts'
import { NodeSilentError, OtherChainError } from './errors.ts'
import { isUnsent } from './transport/connectionFault.ts'

/**
 * What the answer of a node to a broadcast proves:
 *
 * - `accepted`: the node has the transaction and has passed it on.
 * - `duplicate`: the node has seen its id. It may have refused the transaction when it saw it.
 * - `refused`: the node has checked the transaction and has not kept it, because it is wrong itself.
 * - `unclear`: nothing. The node may have it.
 */
export type BroadcastVerdict = 'accepted' | 'duplicate' | 'refused' | 'unclear'

/** Codes of a transaction that is wrong itself. The node gives them before it keeps the transaction or passes it on. */
export const REFUSALS: ReadonlySet<unknown> = new Set([
  'BANDWITH_ERROR',
  'CONTRACT_EXE_ERROR',
  'CONTRACT_VALIDATE_ERROR',
  'SIGERROR',
  'TAPOS_ERROR',
  'TOO_BIG_TRANSACTION_ERROR',
  'TRANSACTION_EXPIRATION_ERROR',
])

/** Classifies the answer of a node to a broadcast. Only the format of a broadcast proves something: a front end writes others. */
export function broadcastVerdict(answer: unknown): BroadcastVerdict {
  if (typeof answer !== 'object' || answer === null || 'Error' in answer) return 'unclear'
  const { code = 'SUCCESS', result } = answer as { code?: unknown; result?: unknown }
  if (result === true) return code === 'SUCCESS' ? 'accepted' : 'unclear'
  if (code === 'DUP_TRANSACTION_ERROR') return 'duplicate'
  return REFUSALS.has(code) ? 'refused' : 'unclear'
}

/** Whether a failed call was not sent at all, so that no node can have got it. */
export function wasNotSent(error: RpcError): boolean {
  return (
    error instanceof NodeSilentError || error instanceof OtherChainError || isUnsent(error.cause)
  )
}
