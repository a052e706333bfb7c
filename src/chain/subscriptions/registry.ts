import type { Hash } from 'viem'

import { LimitExceededError } from '../../lib/errors.ts'
import type { Follower } from './follower.ts'
import type { createPendingReads } from './pendingReads.ts'
import type { RpcSocket } from './socket.ts'
import type { StatusSubscription } from './statuses.ts'

/**
 * One subscription of one socket. Notifications start when the response with its id is delivered (`started`). `bytes`: its memory.
 */
export type Subscription = Common &
  (Follower | PendingKind | StatusSubscription | { kind: 'syncing' })

type Common = { id: string; bytes: number; socket: RpcSocket; started: boolean }

/** A subscription to pending transactions. */
export type PendingSubscription = Common & PendingKind

/**
 * `early`: hashes that were announced before the response was delivered. They are sent after it. `reads`: sends whole transactions in place
 * of hashes.
 */
type PendingKind = {
  kind: 'newPendingTransactions'
  early: Hash[]
  reads?: ReturnType<typeof createPendingReads>
}

type Kinds = { [kind in Subscription['kind']]: Set<Extract<Subscription, { kind: kind }>> }

/**
 * The subscriptions of all sockets, counted against the limits. Every change takes constant time. `onChange` is called after some
 * were added or removed.
 */
export function createRegistry({ give, onChange, perClient, perSocket }: createRegistry.Options) {
  const sockets = new Map<string, Map<string, Subscription>>()
  /** Removes the listener for the end of a socket. */
  const unlisteners = new Map<string, () => void>()
  const clients = new Map<string, number>()
  const kinds: Kinds = {
    chain: new Set(),
    newPendingTransactions: new Set(),
    syncing: new Set(),
    transactionStatus: new Set(),
  }

  const setOf = ({ kind }: Subscription) => kinds[kind] as Set<Subscription>

  function remove(socket: RpcSocket, id: string): boolean {
    const own = sockets.get(socket.id)
    const subscription = own?.get(id)
    if (!own || !subscription) return false
    own.delete(id)
    setOf(subscription).delete(subscription)
    give(subscription)
    const ofClient = (clients.get(socket.client) ?? 1) - 1
    if (ofClient > 0) clients.set(socket.client, ofClient)
    else clients.delete(socket.client)
    if (own.size === 0) removeSocket(socket)
    onChange()
    return true
  }

  /** A connection without subscriptions may be closed as idle, so the listener for its end is removed. */
  function removeSocket({ id }: RpcSocket) {
    sockets.delete(id)
    unlisteners.get(id)?.()
    unlisteners.delete(id)
  }

  return {
    /** @throws LimitExceededError */
    add(subscription: Subscription): void {
      const { id, socket } = subscription
      const own = sockets.get(socket.id)
      if ((own?.size ?? 0) >= perSocket)
        throw new LimitExceededError(`exceed max subscriptions of one connection: ${perSocket}`)
      const ofClient = clients.get(socket.client) ?? 0
      const most = socket.maxSubscriptions ?? perClient
      if (ofClient >= most)
        throw new LimitExceededError(`exceed max subscriptions of one client: ${most}`)
      clients.set(socket.client, ofClient + 1)
      setOf(subscription).add(subscription)
      if (own) own.set(id, subscription)
      else {
        sockets.set(socket.id, new Map([[id, subscription]]))
        const unlisten = socket.onClose(() => {
          for (const id of sockets.get(socket.id)?.keys() ?? []) remove(socket, id)
        })
        // When the connection has ended already, the listener has run.
        if (sockets.has(socket.id)) unlisteners.set(socket.id, unlisten)
      }
      onChange()
    },
    /** Removes a subscription. Returns whether it existed on this socket. */
    remove,
    has: ({ id, socket }: Pick<Subscription, 'id' | 'socket'>) =>
      sockets.get(socket.id)?.has(id) ?? false,
    /** All subscriptions, in the order in which they were added. */
    ofKind: <kind extends Subscription['kind']>(
      kind: kind,
    ): ReadonlySet<Extract<Subscription, { kind: kind }>> => kinds[kind],
    count: () => Object.values(kinds).reduce((sum, { size }) => sum + size, 0),
    clear(): void {
      sockets.clear()
      for (const unlisten of unlisteners.values()) unlisten()
      unlisteners.clear()
      clients.clear()
      for (const subscriptions of Object.values(kinds)) {
        for (const subscription of subscriptions) give(subscription)
        subscriptions.clear()
      }
      onChange()
    },
  }
}

export declare namespace createRegistry {
  type Options = {
    perClient: number
    perSocket: number
    /** Gives back the memory of a subscription that was removed. */
    give: (subscription: Subscription) => void
    onChange: () => void
  }
}
