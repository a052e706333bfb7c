import type { HeadLog } from '../head/headTypes.ts'
import type { RpcSocket } from './socket.ts'
import { notification } from './text.ts'

/** What became of one transaction: told at once, and after each block that changed it. */
export type StatusSpec = {
  kind: 'transactionStatus'
  /** Reads what is told. @param signal - ends with the connection; absent in this process */
  read(signal: AbortSignal | undefined): Promise<{ isFinal: boolean; status: object }>
}

/** A subscription to one transaction. `told`: the status that was sent last, as text; `isOver`: it cannot change any more. */
export type StatusSubscription = StatusSpec & { told: string; isOver: boolean }

type Open = StatusSubscription & { id: string; socket: RpcSocket; started: boolean }

/**
 * Tells subscriptions what became of their transactions. Nodes are asked about one transaction at a time, because each block makes
 * all subscriptions ask.
 *
 * @returns the function that reads all of them again
 */
export function createStatuses({ isOpen, log, subscriptions }: createStatuses.Options): () => void {
  let running = false
  let again = false

  async function tell(subscription: Open): Promise<void> {
    const { id, socket } = subscription
    try {
      const { isFinal, status } = await subscription.read(socket.signal)
      const text = JSON.stringify(status)
      if (text === subscription.told || !isOpen(subscription)) return
      Object.assign(subscription, { told: text, isOver: isFinal })
      socket.send(notification(id, text))
    } catch (error) {
      // The next block asks again. A connection that has ended aborts its reads.
      if (isOpen(subscription))
        log.warn({ err: error }, 'could not read the status of a transaction')
    }
  }

  async function tellAll(): Promise<void> {
    again = running
    if (running) return
    running = true
    do {
      again = false
      for (const subscription of subscriptions())
        if (subscription.started && !subscription.isOver) await tell(subscription)
    } while (again)
    running = false
  }

  return () => void tellAll()
}

export declare namespace createStatuses {
  type Options = {
    isOpen: (subscription: { id: string; socket: RpcSocket }) => boolean
    log: Pick<HeadLog, 'warn'>
    subscriptions: () => Iterable<Open>
  }
}
