import type { BlockId } from '../../codec/blockRef.ts'
import { sleep } from '../../lib/sleep.ts'
import { timeSlice } from '../../lib/timeSlice.ts'
import { stretchOf } from '../blockRange.ts'
import type { Chain } from '../blocks/chainTypes.ts'
import { idAt } from '../filters/page.ts'
import { type BlockChanges, blockChangesFrom } from '../head/blockChanges.ts'
import type { Head, HeadLog } from '../head/headTypes.ts'
import { newestIn, windowOf } from '../head/window.ts'
import { createCatchUpQueue } from './catchUpQueue.ts'
import type { RpcSocket } from './socket.ts'
import { notification } from './text.ts'
import type { Topic } from './topic.ts'

/** A subscription to the chain: its topic, its cursor, and whether it is catching up in the background. */
export type Follower = { kind: 'chain'; topic: Topic; at: BlockId; catchingUp: boolean }

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
    take: (subscription) => deliverPortion(subscription),
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

  function changesOf({ at }: Follower): BlockChanges {
    const window = windowOf(head)
    return blockChangesFrom(window, at, newestIn(window, chain.view).number)
  }

  /** Delivers the missing changes: a few synchronously, many in the background. */
  function follow(subscription: FollowerOfSocket): void {
    if (subscription.catchingUp) return
    const changes = changesOf(subscription)
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
      for (const text of topic.texts(block, removed)) socket.send(notification(id, text))
      subscription.at = after
    }
  }

  /** Delivers some blocks. @returns whether more blocks may remain for the background. */
  async function deliverPortion(subscription: FollowerOfSocket): Promise<boolean> {
    if (!subscription.socket.settle()) return false
    const changes = changesOf(subscription)
    if (changes === 'lost') throw new Error('the branch of the subscription is no longer known')
    if (changes === 'ahead') return false
    if (changes === 'below') {
      const end = (windowOf(head).blocks[0]?.number ?? 0) - 1
      const { at, socket, topic } = subscription
      const { isRun, to } = stretchOf(chain.nextRun, { from: at.number + 1, to: end })
      if (isRun) {
        subscription.at = await idAt(chain, to, socket.call)
        return true
      }
      const found = await topic.history(chain, at.number + 1, to, socket.call)
      await sendSlowly(subscription, found.texts)
      subscription.at = found.at
      return true
    }
    for (const { after, block, removed } of changes.slice(0, AT_ONCE)) {
      await sendSlowly(subscription, subscription.topic.texts(block, removed))
      subscription.at = after
    }
    return changes.length > AT_ONCE
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
    chain: Pick<Chain, 'block' | 'logRows' | 'nextRun' | 'resolve' | 'view'>
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
