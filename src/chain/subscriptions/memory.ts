import { LimitExceededError } from '../../lib/errors.ts'
import { createHeldBytes, type HeldBytes } from '../../lib/heldBytes.ts'

/** The memory of the subscriptions of all clients. */
export type SubscriptionMemory = ReturnType<typeof createSubscriptionMemory>

/** Bytes of a subscription without its filter: its entries in maps, its id, its cursor. */
const OVERHEAD = 1_024

/** The addresses and topics of a filter in sets take about three times the bytes of their JSON text. */
const OF_TEXT = 3

/** Counts the memory of subscriptions against the limits of filters, and against the bytes that are held for clients. */
export function createSubscriptionMemory({
  bytesPerClient,
  bytesTotal,
  held,
}: createSubscriptionMemory.Options) {
  const filters = createHeldBytes({ limit: bytesTotal, share: bytesPerClient })
  return {
    /** Takes the memory of a subscription. @returns the function that gives it back @throws LimitExceededError */
    take(client: string, spec: object) {
      const bytes = OVERHEAD + OF_TEXT * JSON.stringify(spec).length
      const holds = [filters, held].map((of) => of.hold(client, 'subscriptions'))
      const end = () => {
        for (const hold of holds) hold.end()
      }
      if (holds.every((hold) => hold.take(bytes))) return end
      end()
      throw new LimitExceededError(
        `exceed max bytes of subscriptions: ${bytesPerClient} of one client, ${bytesTotal} of all`,
      )
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
