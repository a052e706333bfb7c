import { LimitExceededError } from '../../lib/errors.ts'
import { createHeldBytes, type HeldBytes } from '../../lib/heldBytes.ts'

/** The memory of the subscriptions of all clients. */
export type SubscriptionMemory = ReturnType<typeof createSubscriptionMemory>

/**
 * Bytes of a subscription without its filter: its entries in maps, its id, its cursor. After a full collection, 20,000 take about 1,000
 * bytes each for heads, 1,220 for logs, 460 for the state of the sync, and 2,000 for statuses.
 */
const OVERHEAD = 1_152

/** The addresses and topics of a filter in sets take two to three times the bytes of their JSON text. */
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
