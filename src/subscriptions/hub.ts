import { randomBytes } from 'node:crypto'

import type { Hash } from 'viem'

import type { Chain } from '../chain/chainTypes.ts'
import type { FollowedHead, HeadLog } from '../chain/head.ts'
import { stepsFrom } from '../chain/head/steps.ts'
import { newestOf, type Window } from '../chain/head/window.ts'
import type { BlockId, BlockRef } from '../codec/blockRef.ts'
import { InvalidParamsError, LimitExceededError, UpstreamError } from '../errors.ts'
import type { PoolFeed } from '../filters/pool.ts'
import type { RequestScope, RpcSocket } from '../jsonrpc/request.ts'
import { sleep } from '../lib/sleep.ts'
import { syncText } from './syncText.ts'
import { notification } from './text.ts'
import { createTopic, type Topic, type TopicSpec } from './topic.ts'

/** Subscriptions of the sockets of one view. */
export type Hub = {
  /**
   * Subscribes a socket by a request that came over it; notifications begin when the answer has left.
   *
   * @throws LimitExceededError, UpstreamError
   */
  subscribe(
    socket: RpcSocket,
    request: Pick<RequestScope, 'onSettled'>,
    spec: SubscriptionSpec,
  ): Promise<string>
  /** Whether there was such a subscription on this socket. */
  unsubscribe(socket: RpcSocket, id: string): boolean
  count(): number
  stop(): void
}

/** What is subscribed to. Blocks are delivered from `fromBlock` on; without one, or with `latest`, what comes next. */
export type SubscriptionSpec =
  | (TopicSpec & { fromBlock?: BlockRef | undefined })
  | { kind: 'newPendingTransactions' }
  | { kind: 'syncing' }

/** A subscription to the chain: where it is, and whether it goes along with each step already. */
type Follower = { kind: 'chain'; topic: Topic; at: BlockId; pumping: boolean }
type Subscription = { id: string; socket: RpcSocket; started: boolean } & (
  | Follower
  | { kind: 'newPendingTransactions' }
  | { kind: 'syncing' }
)

/** Bytes queued on a socket above which a subscription that catches up waits for its reader. */
const CATCH_UP_BUFFER = 1024 * 1024

/** Blocks sent at once before other work gets its turn. */
const AT_ONCE = 64

/** Going away is not the client's fault: it should come back and resume. */
const SERVICE_RESTART = 1012

/** Delivers the chain to sockets, each from where it is: live ones at every step, the others as fast as they read. */
export function createHub({
  chain,
  head,
  log,
  now = Date.now,
  perClient,
  perSocket,
  pool,
}: createHub.Options): Hub {
  const sockets = new Map<string, Map<string, Subscription>>()
  const clients = new Map<string, number>()
  let sync = 'false'
  let unlisten: (() => void) | undefined
  const stopHead = head.onChange(() => onStep())

  function view(): Window {
    const window = head.window()
    if (window) return window
    throw new UpstreamError('no block was seen yet: the node has not answered')
  }

  const newest = (window: Window) => (chain.view === 'solid' ? window.solid : newestOf(window))

  function each(kind: Subscription['kind'], act: (subscription: Subscription) => void): void {
    for (const subscriptions of sockets.values())
      for (const subscription of subscriptions.values())
        if (subscription.started && subscription.kind === kind) act(subscription)
  }

  function onStep(): void {
    each('chain', (subscription) => {
      if (subscription.kind === 'chain') follow(subscription)
    })
    const state = syncText(head, now())
    if (state === sync) return
    sync = state
    each('syncing', ({ id, socket }) => socket.send(notification(id, state)))
  }

  /** Brings one subscription to the newest block: at once when it is near, otherwise in the background. */
  function follow(subscription: Subscription & Follower): void {
    if (subscription.pumping) return
    const window = view()
    const route = stepsFrom(window, subscription.at, newest(window).number)
    if (typeof route !== 'string' && route.length <= AT_ONCE) {
      for (const step of route) {
        send(subscription, subscription.topic.texts(step.block, step.removed))
        subscription.at = step.after
      }
      return
    }
    subscription.pumping = true
    pump(subscription)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'a subscription could not go on')
        subscription.socket.close(SERVICE_RESTART, 'subscribe again')
      })
      .finally(() => {
        subscription.pumping = false
        if (isOpen(subscription) && stillBehind(subscription)) follow(subscription)
      })
  }

  async function pump(subscription: Subscription & Follower): Promise<void> {
    while (isOpen(subscription)) {
      if (subscription.socket.buffered() > CATCH_UP_BUFFER) {
        await sleep(20)
        continue
      }
      const window = view()
      const route = stepsFrom(window, subscription.at, newest(window).number)
      // The next step of the head brings what is missing here.
      if (route === 'ahead') return
      if (route === 'lost') throw new Error('the branch of the subscription is not known any more')
      if (route === 'below') {
        const end = (window.blocks[0]?.number ?? 0) - 1
        const { at, texts } = await subscription.topic.history(
          chain,
          subscription.at.number + 1,
          end,
        )
        if (isOpen(subscription)) send(subscription, texts)
        subscription.at = at
        continue
      }
      for (const step of route.slice(0, AT_ONCE)) {
        send(subscription, subscription.topic.texts(step.block, step.removed))
        subscription.at = step.after
      }
      if (route.length <= AT_ONCE) return
      await new Promise(setImmediate)
    }
  }

  function stillBehind({ at }: Follower): boolean {
    const route = stepsFrom(view(), at, newest(view()).number)
    return route === 'below' || (typeof route !== 'string' && route.length > 0)
  }

  function send({ id, socket }: Subscription, texts: readonly string[]): void {
    for (const text of texts) socket.send(notification(id, text))
  }

  function isOpen({ id, socket }: Subscription): boolean {
    return sockets.get(socket.id)?.has(id) ?? false
  }

  /** Counts and registers before anything is awaited, so that limits hold under concurrent calls. */
  function register(socket: RpcSocket, subscription: Subscription): void {
    const own = sockets.get(socket.id)
    if ((own?.size ?? 0) >= perSocket)
      throw new LimitExceededError(`exceed max subscriptions of one connection: ${perSocket}`)
    const ofClient = clients.get(socket.client) ?? 0
    if (ofClient >= perClient)
      throw new LimitExceededError(`exceed max subscriptions of one client: ${perClient}`)
    clients.set(socket.client, ofClient + 1)
    if (own) own.set(subscription.id, subscription)
    else {
      sockets.set(socket.id, new Map([[subscription.id, subscription]]))
      socket.onClose(() => {
        for (const id of sockets.get(socket.id)?.keys() ?? []) unregister(socket, id)
        sockets.delete(socket.id)
      })
    }
  }

  function unregister(socket: RpcSocket, id: string): boolean {
    const own = sockets.get(socket.id)
    if (!own?.delete(id)) return false
    const ofClient = (clients.get(socket.client) ?? 1) - 1
    if (ofClient > 0) clients.set(socket.client, ofClient)
    else clients.delete(socket.client)
    listenToPool()
    return true
  }

  /** The pool is watched while anyone subscribes to it. */
  function listenToPool(): void {
    const wanted = [...sockets.values()].some((own) =>
      [...own.values()].some(({ kind }) => kind === 'newPendingTransactions'),
    )
    if (wanted) unlisten ??= pool.listen(onPending)
    else {
      unlisten?.()
      unlisten = undefined
    }
  }

  function onPending(hashes: Hash[]): void {
    const texts = hashes.map((hash) => `"${hash}"`)
    each('newPendingTransactions', (subscription) => send(subscription, texts))
  }

  function start(subscription: Subscription): void {
    subscription.started = true
    if (subscription.kind === 'chain') follow(subscription)
    else if (subscription.kind === 'syncing') send(subscription, [syncText(head, now())])
  }

  /** Puts a subscription before the block that it starts from. */
  async function rewind(
    subscription: Follower,
    spec: TopicSpec,
    fromBlock: BlockRef,
  ): Promise<void> {
    if (fromBlock === 'latest' || fromBlock === 'pending') return
    const from =
      typeof fromBlock === 'number' ? fromBlock : (await chain.resolve(fromBlock))?.number
    if (from === undefined) throw new InvalidParamsError(1, 'fromBlock: no such block')
    subscription.topic = createTopic(spec, from)
    if (from > subscription.at.number) return
    const before = from === 0 ? { number: -1, hash: '0x' as const } : await chain.resolve(from - 1)
    if (!before) throw new UpstreamError(`the node does not have block ${from - 1}`)
    subscription.at = before
  }

  function toSubscription(socket: RpcSocket, spec: SubscriptionSpec): Subscription {
    const common = { id: `0x${randomBytes(16).toString('hex')}`, socket, started: false }
    if (spec.kind === 'newPendingTransactions' || spec.kind === 'syncing')
      return { ...common, kind: spec.kind }
    const { hash, number } = newest(view())
    const topic = createTopic(spec, 0)
    return { ...common, kind: 'chain', topic, at: { number, hash }, pumping: false }
  }

  return {
    async subscribe(socket, request, spec) {
      const subscription = toSubscription(socket, spec)
      register(socket, subscription)
      try {
        if (subscription.kind === 'chain' && (spec.kind === 'logs' || spec.kind === 'newHeads'))
          await rewind(subscription, spec, spec.fromBlock ?? 'latest')
      } catch (error) {
        unregister(socket, subscription.id)
        throw error
      }
      listenToPool()
      request.onSettled((delivered) => {
        if (!delivered) unregister(socket, subscription.id)
        else if (isOpen(subscription)) start(subscription)
      })
      return subscription.id
    },
    unsubscribe: unregister,
    count: () => [...sockets.values()].reduce((sum, { size }) => sum + size, 0),
    stop() {
      stopHead()
      unlisten?.()
      sockets.clear()
    },
  }
}

export declare namespace createHub {
  type Options = {
    chain: Pick<Chain, 'block' | 'logs' | 'resolve' | 'view'>
    head: Pick<FollowedHead, 'onChange' | 'status' | 'window'>
    pool: Pick<PoolFeed, 'listen'>
    perSocket: number
    perClient: number
    log: HeadLog
    now?: (() => number) | undefined
  }
}
