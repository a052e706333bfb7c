import { LimitExceededError } from '../../lib/errors.ts'
import { createHeldBytes, type HeldBytes } from '../../lib/heldBytes.ts'

/** The memory of the subscriptions of all clients. */
export type SubscriptionMemory = ReturnType<typeof createSubscriptionMemory>

/**
 * Bytes of a subscription without its filter: its entries in maps, its id, its cursor. Measured with 20,000 of each kind, after a full
 * garbage collection: newHeads 1,000, logs 1,220, syncing 460, transactionStatus 2,000.
 */
const OVERHEAD = 1_152

/** Addresses and topics are kept in sets. A set takes two to three times the bytes of its JSON text. */
const OF_TEXT = 3

/** Counts the memory of subscriptions against the limits of filters, and against the bytes that are held for clients. */
export function createSubscriptionMemory({
  bytesPerClient,
  bytesTotal,
  held,
}: createSubscriptionMemory.Options) {
  const filters = createHeldBytes({ limit: bytesTotal, share: bytesPerClient })
  return {
    /** Takes the memory of a subscription. @returns its bytes @throws LimitExceededError */
    take(client: string, spec: object): number {
      const bytes = OVERHEAD + OF_TEXT * JSON.stringify(spec).length
      if (filters.take(client, 'subscriptions', bytes)) {
        if (held.take(client, 'subscriptions', bytes)) return bytes
        filters.give(client, 'subscriptions', bytes)
      }
      throw new LimitExceededError(
        `exceed max bytes of subscriptions: ${bytesPerClient} of one client, ${bytesTotal} of all`,
      )
    },
    /** Gives back the memory of a subscription. May be called more than once. */
    give(subscription: { bytes: number; socket: { client: string } }) {
      const { bytes, socket } = subscription
      for (const budget of [filters, held]) budget.give(socket.client, 'subscriptions', bytes)
      subscription.bytes = 0
    },
  }
}

export declare namespace createSubscriptionMemory {
  type Options = {
    /** The limits of filters. */
    bytesPerClient: number
    bytesTotal: number
    held: HeldBytes
  }
}
