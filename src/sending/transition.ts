import type { BlockId } from '../codec/blockRef.ts'
import type { Ending, Release, SentEvent, SentTransaction } from './sentStore.ts'

/** A record; with its ending when it is dropped and its nonce is free. */
export type Transition = { sent: SentTransaction; ending?: Ending }

/**
 * The state machine of a sent transaction: what an event makes of its record. Every store asks it, and only stores the answer.
 *
 * docs/sending.md lists the changes and what proves each. An event that it does not list changes nothing.
 *
 * @returns undefined when nothing changes.
 */
export function transition(sent: SentTransaction, event: SentEvent): Transition | undefined {
  if (sent.state === 'final') return undefined
  const isPending = sent.state === 'pending'
  const become = (change: Partial<SentTransaction>) => ({ sent: { ...sent, ...change } })
  switch (event.event) {
    // One more broadcast, which may give it to somebody.
    case 'broadcast':
      return isPending ? become({ broadcasts: sent.broadcasts + 1 }) : undefined
    // No node can have it, nor its sender, and this was the only broadcast.
    case 'refused':
      return isPending && sent.broadcasts === 1 && sent.intent === undefined
        ? { sent, ending: endingOf(sent, event.why) }
        : undefined
    case 'expired':
      return isPending ? { sent, ending: endingOf(sent, { state: 'expired' }) } : undefined
    case 'seen':
      return isIn(sent, event.block) ? undefined : become({ state: 'mined', block: event.block })
    case 'removed': {
      if (!isIn(sent, event.block)) return undefined
      const { block: _, ...rest } = sent
      return { sent: { ...rest, state: 'pending' } }
    }
    case 'final':
  }
  // The bytes are needed only while they may have to be sent again.
  const { hex: _, ...rest } = sent
  return { sent: { ...rest, state: 'final', ...(event.block && { block: event.block }) } }
}

/** How a transaction ended, from its record. */
export const endingOf = ({ alias, expiration, id }: SentTransaction, why: Release): Ending => ({
  id,
  ...(alias && { alias }),
  expiration,
  ...why,
})

const isIn = ({ block }: SentTransaction, { hash }: BlockId) => block?.hash === hash
