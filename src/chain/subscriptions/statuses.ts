import type { Hash } from 'viem'

import type { Call } from '../../lib/call.ts'
import type { HeadLog } from '../head/headTypes.ts'
import { createCatchUpQueue } from './catchUpQueue.ts'
import type { RpcSocket } from './socket.ts'
import { notification } from './text.ts'

/** What became of one transaction: told at once, and after each block that changed it. */
export type StatusSpec = {
  kind: 'transactionStatus'
  transaction: Hash
  /**
   * Reads what is told.
   *
   * @param since - when the subscription began, in milliseconds since 1970
   * @param call - ends with the connection, which pays for the read; absent in this process
   */
  read: (since: number, call: Call | undefined) => Promise<TransactionNews>
}

/** A status, and whether it cannot change any more. */
export type TransactionNews = { isFinal: boolean; status: object }

/** A subscription to one transaction. `told`: the status that was sent last, as text; `isOver`: it cannot change any more. */
export type StatusSubscription = StatusSpec & { since: number; told: string; isOver: boolean }

type Open = StatusSubscription & { id: string; socket: RpcSocket; started: boolean }

/**
 * Tells subscriptions what became of their transactions. Each transaction is read once for a block. The client of the first
 * subscription pays for it; one that has used up its limits waits for a later block. Clients take turns.
 */
export function createStatuses({ isOpen, log, subscriptions }: createStatuses.Options) {
  /** The reads since the newest block, by transaction. */
  let reads = new Map<Hash, Promise<TransactionNews>>()
  const queue = createCatchUpQueue<Open>({
    isOpen: (subscription) => isOpen(subscription) && !subscription.isOver,
    take: tell,
    onDone() {},
    onError(error, subscription) {
      // The next block asks again. A connection that has ended aborts its reads.
      if (isOpen(subscription))
        log.warn({ err: error }, 'could not read the status of a transaction')
    },
  })

  /** @returns whether to try again: the read of another client failed, perhaps because that client has left */
  async function tell(subscription: Open): Promise<boolean> {
    const { id, socket, transaction } = subscription
    const shared = reads.get(transaction)
    const reading = shared ?? (socket.settle() ? read(subscription) : undefined)
    const news = await (shared ? reading?.catch(() => undefined) : reading)
    if (!news) return shared !== undefined
    const text = JSON.stringify(news.status)
    if (text === subscription.told || !isOpen(subscription)) return false
    Object.assign(subscription, { told: text, isOver: news.isFinal })
    socket.send(notification(id, text))
    return false
  }

  function read({ since, socket, transaction, read: ask }: Open): Promise<TransactionNews> {
    const current = reads
    const reading = ask(since, socket.call).finally(() => void socket.settle())
    current.set(transaction, reading)
    reading.catch(() => current.delete(transaction))
    return reading
  }

  function add(subscription: Open): void {
    if (subscription.started && !subscription.isOver) queue.add(subscription)
  }

  return {
    /** Reads the status of a new subscription. */
    add,
    /** Reads all again, after a block. */
    addAll(): void {
      reads = new Map()
      for (const subscription of subscriptions()) add(subscription)
    },
  }
}

export declare namespace createStatuses {
  type Options = {
    isOpen: (subscription: { id: string; socket: RpcSocket }) => boolean
    log: Pick<HeadLog, 'warn'>
    subscriptions: () => Iterable<Open>
  }
}
