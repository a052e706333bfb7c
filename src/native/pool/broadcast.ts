import { UpstreamError } from '../../lib/errors.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import { within } from '../../lib/within.ts'
import { broadcastVerdict, wasNotSent } from '../broadcastVerdict.ts'
import { NodeTimeoutError } from '../errors.ts'
import type { NativeReply } from '../transport/transport.ts'
import type { BroadcastResult } from '../wire/accountTypes.ts'
import { QueueFullError } from './limiter.ts'
import type { Member, MemberCall } from './member.ts'
import type { Outcome } from './outcome.ts'

/** Operations that send a signed transaction. */
export const BROADCASTS = new Set(['broadcasthex', 'broadcasttransaction'])

/** Refusals that depend only on the bytes, so every node gives them. */
const OF_BYTES = new Set(['SIGERROR', 'TOO_BIG_TRANSACTION_ERROR'])

/**
 * What one node has shown, the most important first. A node that has seen the bytes counts more than one that may have them, and a
 * refusal counts only when every node that was asked has refused them.
 */
const RANKS = ['duplicate', 'lost', 'unclear', 'refused', 'unsent'] as const

type Rank = (typeof RANKS)[number]

/** The result of one node: its reply, or why there is none. */
type Shown = { rank: Rank; reply: NativeReply } | { rank: Rank; fault: Error }

/**
 * Sends the same bytes to one node after the other until one accepts them. A node that does not answer gets half of the time that
 * is left, so that the next one gets time too; the last node gets all of it.
 *
 * @returns the first reply that accepts; else a reply of the highest rank, which is a refusal only if no node may have the bytes.
 * @throws UnconfirmedBroadcastError when a node may have accepted the transaction; otherwise the error of the highest rank.
 */
export async function broadcastInTurn(
  call: MemberCall,
  { first, last, next, onRefusal, signal, timeout }: broadcastInTurn.Options,
): Promise<NativeReply> {
  const deadline = performance.now() + timeout
  const tried: Member[] = []
  let best: Shown | undefined
  let hasAnswer = false
  const note = (shown: Shown) => {
    if (!best || RANKS.indexOf(shown.rank) < RANKS.indexOf(best.rank)) best = shown
  }
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
        () => new NodeTimeoutError(Math.round(time)),
        signal,
      )
      if ('reply' in outcome) {
        const { reply } = outcome
        const verdict = broadcastVerdict(reply.parsed)
        if (verdict === 'accepted') return reply
        hasAnswer = true
        note({ rank: verdict, reply })
        const answer = (reply.parsed ?? {}) as BroadcastResult
        if (verdict !== 'duplicate' && answer.code !== undefined) onRefusal(member, answer)
        if (verdict === 'refused' && OF_BYTES.has(answer.code ?? '')) break
      } else note(shownBy(outcome))
    } catch (error) {
      signal?.throwIfAborted()
      const isUnsent = error instanceof QueueFullError
      note({ rank: isUnsent ? 'unsent' : 'lost', fault: error as Error })
    }
    member = next(tried) ?? (hasAnswer ? undefined : last(tried))
  }
  if (!best) throw new NodeTimeoutError(timeout)
  if ('reply' in best) return best.reply
  throw best.rank === 'lost' ? new UnconfirmedBroadcastError({ cause: best.fault }) : best.fault
}

/**
 * A node that limits the rate, or does not offer the operation, may stand behind a front end that has passed the call on. What a node
 * answered to the words of a client is passed on to that client.
 */
function shownBy(outcome: Exclude<Outcome, { reply: NativeReply }>): Shown {
  const { error: fault, kind } = outcome
  if (kind !== 'failed' || outcome.isOfText) return { rank: 'unclear', fault }
  return { rank: outcome.isUnsent || wasNotSent(fault) ? 'unsent' : 'lost', fault }
}

export declare namespace broadcastInTurn {
  type Options = {
    first: Member
    /** The next node to ask; undefined when there is none. */
    next: (tried: readonly Member[]) => Member | undefined
    /** A node that is asked only when no other one gave an answer. It may answer although its last probe failed. */
    last: (tried: readonly Member[]) => Member | undefined
    /** Called with each node that answered and did not accept the bytes. */
    onRefusal: (member: Member, answer: BroadcastResult) => void
    signal: StopSignal | undefined
    /** Milliseconds for all nodes together. */
    timeout: number
  }
}

/** `-32603`: no node has accepted the transaction, and one may have it. Sending the same bytes again is safe. */
class UnconfirmedBroadcastError extends UpstreamError {
  override name = 'UnconfirmedBroadcastError'

  constructor(options: { cause?: unknown }) {
    super(
      'unconfirmed: the upstream nodes did not confirm the transaction, and it may still be mined until it expires; only the same bytes are safe to send again',
      options,
    )
  }
}
