import { randomUUID } from 'node:crypto'

import { expect } from 'vitest'

import { createHead } from '../../src/chain/head/head.ts'
import type { ChainUpdate, Head } from '../../src/chain/head/headTypes.ts'
import { createRedisLink, type RedisLink } from '../../src/lib/redis.ts'
import { createNodeClient } from '../../src/native/client.ts'
import { NodeUnreachableError } from '../../src/native/errors.ts'
import { createScriptedChain, type ScriptedChain } from './chain.ts'
import { until } from './until.ts'

/** The head of one replica, with a separate connection to the node. */
export type Replica = {
  head: Head
  link: RedisLink
  changes: ChainUpdate[]
  /** The log messages of this replica, and its calls to its node. */
  messages: string[]
  calls: string[]
  /** Whether this replica reaches its node. */
  node: { isDown: boolean }
}

/** A scripted chain of two blocks, and replicas that follow it with one Redis. The caller closes the group. */
export function createReplicaGroup(redisUrl: string) {
  const chain = createScriptedChain()
  chain.mine()
  const prefix = randomUUID()
  /** The running replicas, in the order of their start. */
  const running: Replica[] = []

  async function start({ isDown = false, of = chain, url = redisUrl }: Options = {}) {
    const link = createRedisLink({ url, prefix })
    // On a busy machine a connection can take longer than a replica waits for Redis.
    await until(() => expect(link.status()).toBe('up'))
    const replica = createReplica(of, link, isDown)
    running.push(replica)
    await replica.head.start()
    return replica
  }

  /** Removes a replica from `all`. */
  function removeReplica(replica: Replica): void {
    running.splice(running.indexOf(replica), 1)
  }

  return {
    chain,
    running,
    start,
    removeReplica,
    stop: async (replica: Replica) => {
      removeReplica(replica)
      await stopReplica(replica)
    },
    withRole: (role: string) => running.find(({ head }) => head.status().role === role) as Replica,
    /** Waits until all replicas have this head. */
    haveHead: (number: number, hash: string) =>
      until(() => {
        for (const { head } of running) expect(head.latest()).toMatchObject({ number, hash })
      }),
    /** Waits until the replicas have these roles. */
    haveRoles: (...roles: string[]) =>
      until(() => expect(running.map(({ head }) => head.status().role).toSorted()).toEqual(roles)),
    async close() {
      await Promise.all(running.map(stopReplica))
    },
  }
}

type Options = { isDown?: boolean; of?: ScriptedChain; url?: string }

/** Replicas of one gateway that share a Redis. */
export type ReplicaGroup = ReturnType<typeof createReplicaGroup>

function createReplica(chain: ScriptedChain, link: RedisLink, isDown: boolean): Replica {
  const node = { isDown }
  const calls: string[] = []
  const messages: string[] = []
  const native = createNodeClient({
    transport: {
      ...chain.transport,
      async send(path, body) {
        calls.push(path)
        if (node.isDown) throw new NodeUnreachableError()
        return chain.transport.send(path, body, { idempotent: true })
      },
    },
  })
  const note = (fields: object | string, message?: string) =>
    void messages.push(message ?? (fields as string))
  const log = { error: note, info: note, warn: note }
  const head = createHead({ genesis: chain.genesis, log, native, redis: link })
  const changes: ChainUpdate[] = []
  head.onUpdate((change) => changes.push(change))
  return { calls, changes, head, link, messages, node }
}

/** Stops a replica like the end of its process. */
async function stopReplica({ head, link }: Replica): Promise<void> {
  await head.stop()
  await link.close()
}

/** The chain of a listener that applies all updates. Throws if an update does not link. */
export function hashesAfter(changes: readonly ChainUpdate[]): string[] {
  const hashes: string[] = []
  for (const { added, removed } of changes) {
    for (const { hash } of removed) expect(hashes.pop()).toBe(hash)
    hashes.push(...added.map(({ hash }) => hash))
  }
  return hashes
}
