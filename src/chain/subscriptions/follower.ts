import type { BlockId } from '../../codec/blockRef.ts'
import { sleep } from '../../lib/sleep.ts'
import { timeSlice } from '../../lib/timeSlice.ts'
import type { Chain } from '../blocks/chainTypes.ts'
import { BehindError, pageFrom } from '../changes/page.ts'
import type { Topic } from '../changes/topic.ts'
import { blockChangesFrom } from '../head/blockChanges.ts'
import type { Head, HeadLog } from '../head/headTypes.ts'
import { newestIn, windowOf } from '../head/window.ts'
import { createCatchUpQueue } from './catchUpQueue.ts'
import type { RpcSocket } from './socket.ts'
import { notification } from './text.ts'

/** A subscription to the chain: its topic, its cursor, and whether it is catching up in the background. */
export type Follower = {
  kind: 'chain'
  topic: Topic
  /** The most items of a page that is delivered in the background. */
  limit: number
  at: BlockId
  catchingUp: boolean
}

type FollowerOfSocket = Follower & { id: string; socket: RpcSocket }

/** Maximum number of changes that are delivered synchronously. More are delivered in the background. */
const AT_ONCE = 16

/** Bytes queued on a socket above which a subscription that catches up waits for its reader. */
const CATCH_UP_BUFFER = 256 * 1024

/** Milliseconds that a client has to read its data before its socket is closed. */
const READER_TIMEOUT = 30_000
const READER_POLL = 20

/** Bytes that one slice sends, about a millisecond of work. Then other work runs and the socket is checked. */
const SLICE = 64 * 1024

/** 1012: the client should connect again and resume. */
const SERVICE_RESTART = 1012
const TRY_AGAIN_LATER = 1013

/** Brings subscriptions of one view from their cursors to the newest block. */
export function createFollowers({ chain, head, isOpen, log }: createFollowers.Options) {
  const queue = createCatchUpQueue<FollowerOfSocket>({
    isOpen,
    take: deliverPage,
    onDone(subscription) {
      subscription.catchingUp = false
      if (isOpen(subscription)) follow(subscription)
    },
    onError(error, { socket }) {
      if (error instanceof SlowReaderError) return socket.close(TRY_AGAIN_LATER, error.message)
      log.warn({ err: error }, 'a subscription failed')
      socket.close(SERVICE_RESTART, 'subscribe again')
    },
  })

  /** Delivers the missing changes: a few synchronously, many in the background. */
  function follow(subscription: FollowerOfSocket): void {
    if (subscription.catchingUp) return
    const window = windowOf(head)
    const { number: newest } = newestIn(window, chain.view)
    const changes = blockChangesFrom(window, subscription.at, newest)
    // The next head update delivers the rest.
    if (changes === 'ahead') return
    if (typeof changes === 'string' || changes.length > AT_ONCE) {
      // The next head update tries again.
      if (!subscription.socket.settle()) return
      subscription.catchingUp = true
      queue.add(subscription)
      return
    }
    for (const { after, block, removed } of changes) {
      const { id, socket, topic } = subscription
      for (const text of topic.recent(block, removed)) socket.send(notification(id, text))
      subscription.at = after
    }
  }

  /** Delivers some blocks. @returns whether more blocks may remain for the background. */
  async function deliverPage(subscription: FollowerOfSocket): Promise<boolean> {
    const { at, limit, socket, topic } = subscription
    if (!socket.settle()) return false
    const options = { chain, head, limit, maxSearches: 1, call: socket.call }
    const page = await pageFrom(topic, at, options).catch((error: unknown) => {
      // The next head update delivers the rest.
      if (error instanceof BehindError) return 'behind' as const
      throw error
    })
    if (page === 'behind') return false
    if (!page) throw new Error('the branch of the subscription is no longer known')
    await sendSlowly(subscription, page.items)
    subscription.at = page.cursor
    return page.cursor.hash !== at.hash
  }

  /** Sends in slices, so that other work runs between them, and as fast as the client reads. */
  async function sendSlowly(
    subscription: FollowerOfSocket,
    texts: Iterable<string>,
  ): Promise<void> {
    const { id, socket } = subscription
    let bytes = 0
    for (const text of texts) {
      if (!isOpen(subscription)) return
      socket.send(notification(id, text))
      bytes += text.length
      if (bytes < SLICE) continue
      bytes = 0
      if (timeSlice.isOver()) await timeSlice.next()
      await roomOf(subscription)
    }
  }

  async function roomOf(subscription: FollowerOfSocket): Promise<void> {
    const { socket } = subscription
    for (let waited = 0; socket.buffered() > CATCH_UP_BUFFER; waited += READER_POLL) {
      if (!isOpen(subscription)) return
      if (waited >= READER_TIMEOUT) throw new SlowReaderError()
      await sleep(READER_POLL)
    }
  }

  return {
    /** The newest block of the view. @throws UpstreamError before the first block */
    newest: () => toId(newestIn(windowOf(head), chain.view)),
    follow,
  }
}

export declare namespace createFollowers {
  type Options = {
    chain: Pick<Chain, 'nextRun' | 'resolve' | 'view'>
    head: Pick<Head, 'window'>
    isOpen: (subscription: { id: string; socket: RpcSocket }) => boolean
    log: HeadLog
  }
}

function toId({ hash, number }: BlockId): BlockId {
  return { number, hash }
}

class SlowReaderError extends Error {
  override name = 'SlowReaderError'

  constructor() {
    super('reader too slow')
  }
}
