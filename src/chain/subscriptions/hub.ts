import type { Hash } from 'viem'

import type { BlockRef } from '../../codec/blockRef.ts'
import { InvalidParamsError } from '../../lib/errors.ts'
import { timeSlice } from '../../lib/timeSlice.ts'
import type { Chain } from '../blocks/chainTypes.ts'
import { newId } from '../changes/id.ts'
import type { PendingResponse } from '../changes/response.ts'
import { createTopic, idAt, type TopicSpec } from '../changes/topic.ts'
import type { PendingFeed } from '../filters/pending.ts'
import type { Head, HeadLog } from '../head/headTypes.ts'
import { createFollowers, type Follower } from './follower.ts'
import type { SubscriptionMemory } from './memory.ts'
import { createPendingReads, type ReadPending } from './pendingReads.ts'
import { createRegistry, type PendingSubscription, type Subscription } from './registry.ts'
import type { RpcSocket } from './socket.ts'
import { createStatuses, type StatusSpec } from './statuses.ts'
import { syncText } from './syncText.ts'
import { notification } from './text.ts'

/** Subscriptions of the sockets of one view. */
export type Hub = ReturnType<typeof createHub>

/** The topic of a subscription. With `resumeFrom` it delivers the blocks from that height on, otherwise only new blocks. */
export type SubscriptionSpec =
  | (ChainSpec & { resumeFrom?: BlockRef })
  | { kind: 'newPendingTransactions'; read?: ReadPending }
  | { kind: 'syncing' }
  | StatusSpec

type ChainSpec = Exclude<TopicSpec, { kind: 'blocks' }>

/**
 * Delivers chain updates to sockets, from the cursor of each subscription: to live subscriptions at every update, to the
 * others as fast as they read.
 */
export function createHub({
  chain,
  head,
  log,
  memory,
  now = Date.now,
  perClient,
  perSocket,
  pending,
}: createHub.Options) {
  const registry = createRegistry({
    give: (subscription) => memory.give(subscription),
    onChange: listenToPending,
    perClient,
    perSocket,
  })
  const followers = createFollowers({
    chain,
    head,
    isOpen: (subscription) => registry.has(subscription),
    log,
  })
  const statuses = createStatuses({
    isOpen: (subscription) => registry.has(subscription),
    log,
    subscriptions: () => registry.ofKind('transactionStatus'),
  })
  let lastSync = 'false'
  let unlisten: (() => void) | undefined
  let delivering = false
  let again = false
  const stopHead = head.onUpdate(() => {
    deliver().catch((error: unknown) => log.error({ err: error }, 'subscriptions failed'))
    tellSyncing()
    statuses.addAll()
  })

  /** Brings every subscription to the newest block, in slices, so that other work runs between them. */
  async function deliver(): Promise<void> {
    again = delivering
    if (delivering) return
    delivering = true
    try {
      do {
        again = false
        for (const subscription of registry.ofKind('chain')) {
          if (subscription.started) followers.follow(subscription)
          if (timeSlice.isOver()) await timeSlice.next()
        }
      } while (again)
    } finally {
      delivering = false
    }
  }

  function tellSyncing(): void {
    const text = syncText(head, now())
    if (text === lastSync) return
    lastSync = text
    for (const { id, socket, started } of registry.ofKind('syncing'))
      if (started) socket.send(notification(id, text))
  }

  /** Watches the mempool while a subscription needs it. */
  function listenToPending(): void {
    if (registry.ofKind('newPendingTransactions').size > 0) unlisten ??= pending.listen(tellPending)
    else {
      unlisten?.()
      unlisten = undefined
    }
  }

  function tellPending(hashes: Hash[]): void {
    for (const subscription of registry.ofKind('newPendingTransactions'))
      if (subscription.started) sendPending(subscription, hashes)
      else if (subscription.early.length < MOST_EARLY) subscription.early.push(...hashes)
      else tooSlow(subscription)
  }

  function sendPending(subscription: PendingSubscription, hashes: readonly Hash[]): void {
    const { id, reads, socket } = subscription
    if (!reads) for (const hash of hashes) socket.send(notification(id, `"${hash}"`))
    else if (!reads.add(hashes)) tooSlow(subscription)
  }

  const tooSlow = ({ socket }: Subscription) => socket.close(TRY_AGAIN_LATER, 'reader too slow')

  function pendingSubscription(
    common: Pick<Subscription, 'bytes' | 'id' | 'socket' | 'started'>,
    read: ReadPending | undefined,
  ): Subscription {
    const isOpen = () => registry.has(common)
    const limits = { isOpen, log, most: MOST_EARLY }
    const reads = read && createPendingReads({ ...common, read }, limits)
    return { ...common, kind: 'newPendingTransactions', early: [], ...(reads && { reads }) }
  }

  function start(subscription: Subscription): void {
    subscription.started = true
    if (subscription.kind === 'chain') followers.follow(subscription)
    else if (subscription.kind === 'newPendingTransactions')
      sendPending(subscription, subscription.early.splice(0))
    else if (subscription.kind === 'transactionStatus') statuses.add(subscription)
    else subscription.socket.send(notification(subscription.id, syncText(head, now())))
  }

  /** Sets the cursor of a subscription to the parent of the block that it resumes from. */
  async function rewind(subscription: Follower, spec: ChainSpec, ref: BlockRef): Promise<void> {
    if (ref === 'latest' || ref === 'pending') return
    const from = typeof ref === 'number' ? ref : (await chain.resolve(ref))?.number
    if (from === undefined) throw new InvalidParamsError(1, 'resumeFrom: no such block')
    subscription.topic = topicOf(spec, from)
    if (from > subscription.at.number) return
    subscription.at = from === 0 ? { number: -1, hash: '0x' } : await idAt(chain, from - 1)
  }

  const topicOf = (spec: ChainSpec, from = 0) =>
    createTopic(chain, spec, { from, span: FIRST_SPAN, wanted: WANTED_LOGS })

  function toSubscription(socket: RpcSocket, spec: SubscriptionSpec): Subscription {
    const bytes = memory.take(socket.client, spec)
    const common = { id: newId(), bytes, socket, started: false }
    if (spec.kind === 'newPendingTransactions') return pendingSubscription(common, spec.read)
    if (spec.kind === 'syncing') return { ...common, kind: spec.kind }
    if (spec.kind === 'transactionStatus')
      return { ...common, ...spec, since: now(), told: '', isOver: false }
    const limit = spec.kind === 'logs' ? MAX_LOGS : HEADERS
    const at = followers.newest()
    return { ...common, kind: 'chain', topic: topicOf(spec), limit, at, catchingUp: false }
  }

  return {
    /**
     * Subscribes the socket of a request. Notifications begin when the response has been delivered.
     *
     * @throws LimitExceededError, InvalidParamsError, UpstreamError
     */
    async subscribe(socket: RpcSocket, request: PendingResponse, spec: SubscriptionSpec) {
      const subscription = toSubscription(socket, spec)
      try {
        // Before the first await, so that limits hold under concurrent calls.
        registry.add(subscription)
        if (subscription.kind === 'chain' && 'resumeFrom' in spec && spec.resumeFrom !== undefined)
          await rewind(subscription, spec, spec.resumeFrom)
        if (subscription.kind === 'newPendingTransactions') await pending.listening()
      } catch (error) {
        registry.remove(socket, subscription.id)
        memory.give(subscription)
        throw error
      }
      request.onDelivery((delivered) => {
        if (!delivered) registry.remove(socket, subscription.id)
        else if (registry.has(subscription)) start(subscription)
      })
      return subscription.id
    },
    /** Removes a subscription. Returns whether it existed on this socket. */
    unsubscribe: (socket: RpcSocket, id: string) => registry.remove(socket, id),
    count: () => registry.count(),
    stop() {
      stopHead()
      registry.clear()
    },
  }
}

export declare namespace createHub {
  type Options = {
    chain: Pick<Chain, 'block' | 'logRows' | 'nextRun' | 'resolve' | 'view'>
    head: Pick<Head, 'onUpdate' | 'status' | 'window'>
    pending: Pick<PendingFeed, 'listen' | 'listening'>
    perSocket: number
    perClient: number
    log: HeadLog
    memory: SubscriptionMemory
    now?: (() => number) | undefined
  }
}

/** Hashes that wait for the delivery of the response, which a client may not read, or for reads of their transactions. */
const MOST_EARLY = 10_000

const TRY_AGAIN_LATER = 1013

/** Headers that a subscription reads at a time. */
const HEADERS = 16

/** Maximum number of logs that a subscription reads at a time, unless the first block alone has more. */
const MAX_LOGS = 10_000

/** Logs that one search should find: about 300 KB of text. The first search is small, because nothing is known yet. */
const WANTED_LOGS = 500
const FIRST_SPAN = 4
