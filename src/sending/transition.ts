import type { BlockId } from '../codec/blockRef.ts'
import type { SentEvent, SentTransaction } from './sentStore.ts'

/**
 * The state machine of a sent transaction: what an event makes of its record. Every store asks it, and only stores the answer.
 *
 * docs/sending.md lists the changes and what proves each. An event that it does not list changes nothing.
 *
 * @returns the new record; `ended` when it is dropped and its nonce is free; undefined when nothing changes.
 */
export function transition(
  sent: SentTransaction,
  event: SentEvent,
): SentTransaction | 'ended' | undefined {
  if (sent.state === 'final') return undefined
  const isPending = sent.state === 'pending'
  switch (event.event) {
    // One more broadcast, which may give it to somebody.
    case 'broadcast':
      return isPending ? { ...sent, broadcasts: sent.broadcasts + 1 } : undefined
    // No node can have it, nor its sender, and this was the only broadcast.
    case 'refused':
      return isPending && sent.broadcasts === 1 && sent.intent === undefined ? 'ended' : undefined
    case 'expired':
      return isPending ? 'ended' : undefined
    case 'seen':
      return isIn(sent, event.block) ? undefined : { ...sent, state: 'mined', block: event.block }
    case 'removed': {
      if (!isIn(sent, event.block)) return undefined
      const { block: _, ...rest } = sent
      return { ...rest, state: 'pending' }
    }
    case 'final':
  }
  // The bytes are needed only while they may have to be sent again.
  const { hex: _, ...rest } = sent
  return { ...rest, state: 'final', ...(event.block && { block: event.block }) }
}

const isIn = ({ block }: SentTransaction, { hash }: BlockId) => block?.hash === hash
