import { UpstreamError } from '../../lib/errors.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import { within } from '../../lib/within.ts'
import { NodeFailedError, NodeTimeoutError } from '../errors.ts'
import { isUnsent } from '../transport/connectionFault.ts'
import type { NativeReply } from '../transport/transport.ts'
import type { BroadcastResult } from '../wire/accountTypes.ts'
import type { Member, MemberCall } from './member.ts'
import type { Outcome } from './outcome.ts'

/** Operations that send a signed transaction. */
export const BROADCASTS = new Set(['broadcasthex', 'broadcasttransaction'])

/** Refusals that depend only on the bytes, so every node gives them. */
const FINAL = new Set(['SIGERROR', 'TOO_BIG_TRANSACTION_ERROR'])

/**
 * Sends the same bytes to one node after the other until one accepts them. A node that knows them already counts too: an
 * earlier one may have passed them on although its answer was lost. A node that does not answer gets half of the time that is
 * left, so that the next one gets time too; the last node gets all of it.
 *
 * @returns the first reply that accepts; else the first that refuses.
 * @throws UnconfirmedBroadcastError when no node answered and one may have accepted the transaction; otherwise the error of
 * the last node.
 */
export async function broadcastInTurn(
  call: MemberCall,
  { first, last, next, onRefusal, signal, timeout }: broadcastInTurn.Options,
): Promise<NativeReply> {
  const deadline = performance.now() + timeout
  const tried: Member[] = []
  let refusal: NativeReply | undefined
  let fault: Error = new NodeTimeoutError(timeout)
  let mayHave = false
  for (let member: Member | undefined = first; member;) {
    tried.push(member)
    const left = deadline - performance.now()
    if (left <= 0) break
    signal?.throwIfAborted()
    const following = next(tried)
    const time = following ? left / 2 : left
    try {
      const outcome: Outcome = await within(
        member.ask(call, time, signal, time),
        time,
        new NodeTimeoutError(Math.round(time)),
        signal,
      )
      if (outcome.kind === 'answer' || outcome.kind === 'unknown') {
        const answer = (outcome.reply.parsed ?? {}) as BroadcastResult
        if (answer.result === true || answer.code === 'DUP_TRANSACTION_ERROR') return outcome.reply
        refusal ??= outcome.reply
        onRefusal(member, answer)
        if (FINAL.has(answer.code ?? '')) break
      } else {
        fault = outcome.error
        mayHave ||= outcome.kind === 'failed' && !hasDoneNothing(outcome)
      }
    } catch (error) {
      signal?.throwIfAborted()
      fault = error as Error
      mayHave ||= fault instanceof NodeTimeoutError
    }
    member = next(tried) ?? (refusal ? undefined : last(tried))
  }
  if (refusal) return refusal
  throw mayHave ? new UnconfirmedBroadcastError({ cause: fault }) : fault
}

/** Whether a failed call cannot have sent the transaction. */
function hasDoneNothing({ error, isUnsent: wasUnsent }: Failure): boolean {
  return wasUnsent === true || error instanceof NodeFailedError || isUnsent(error.cause)
}

type Failure = Extract<Outcome, { kind: 'failed' }>

export declare namespace broadcastInTurn {
  type Options = {
    first: Member
    /** The next node to ask; undefined when there is none. */
    next: (tried: readonly Member[]) => Member | undefined
    /** A node that is asked only when no other one gave an answer. It may answer although its last probe failed. */
    last: (tried: readonly Member[]) => Member | undefined
    /** Called with each node that refused the bytes. */
    onRefusal: (member: Member, answer: BroadcastResult) => void
    signal: StopSignal | undefined
    /** Milliseconds for all nodes together. */
    timeout: number
  }
}

/** `-32603`: no node has answered in time, and one may have accepted the transaction. Sending the same bytes again is safe. */
class UnconfirmedBroadcastError extends UpstreamError {
  override name = 'UnconfirmedBroadcastError'

  constructor(options: { cause?: unknown }) {
    super(
      'the upstream nodes did not confirm the transaction: look it up before sending anything else',
      options,
    )
  }
}
