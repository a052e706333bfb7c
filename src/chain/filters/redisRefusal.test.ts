import { randomUUID } from 'node:crypto'

import { Redis } from 'ioredis'
import type { Hash } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { startGateway } from '../../../test/support/gateway.ts'
import { explainSkip, redisServerMissing, startRedis } from '../../../test/support/redis.ts'
import { until } from '../../../test/support/until.ts'
import { fromPrepared } from '../../lib/prepared.ts'

explainSkip(redisServerMissing)

/** A gateway with a separate Redis, and a connection that makes this Redis refuse writes. */
async function start() {
  const redis = await startRedis()
  const admin = new Redis(redis.url)
  const chain = createScriptedChain({ seed: randomUUID() })
  const gateway = await startGateway({ chain, config: { redis: redis.url } })
  onTestFinished(async () => {
    await gateway.close()
    admin.disconnect()
    await redis.close()
  })
  const { filters } = (await gateway.gateway.ready).contexts.full
  return { admin, chain, filters, gateway }
}

type Started = Awaited<ReturnType<typeof start>>

const changes = ({ gateway }: Started, id: string) =>
  gateway.rpc<Hash[]>('eth_getFilterChanges', id)

const synced = ({ chain, gateway }: Started) =>
  until(async () => expect(await gateway.rpc('eth_getWork')).toContain(chain.head().hash))

/** Polls until the filter can be polled again. */
const recovered = (started: Started, id: string) =>
  until(() => changes(started, id), { interval: 100 })

describe.skipIf(redisServerMissing !== undefined)('a Redis that refuses writes', () => {
  test('behavior: read-only between delivery and commit: no log is delivered twice', async () => {
    const started = await start()
    const { admin, chain, filters, gateway } = started
    const id = await gateway.rpc<string>('eth_newBlockFilter')
    const first = chain.mine()
    await synced(started)
    const listeners: ((delivered: boolean) => void)[] = []
    const page = await filters.changes(id, {
      onDelivery: (listener) => void listeners.push(listener),
      signal: new AbortController().signal,
    })
    expect(fromPrepared(page)).toEqual([first.hash])
    await admin.call('REPLICAOF', '127.0.0.1', '1')
    for (const listener of listeners) listener(true)
    await expect(changes(started, id)).rejects.toMatchObject({
      code: -32603,
      message:
        'the shared store (Redis) refuses writes (it is a read-only replica), try again later',
    })
    expect(gateway.gateway.health().reasons).toContain(
      'Redis refuses writes (it is a read-only replica): new filters fail, polls may fail',
    )
    await admin.call('REPLICAOF', 'NO', 'ONE')
    expect(await recovered(started, id)).toEqual([])
    const second = chain.mine()
    await synced(started)
    expect(await recovered(started, id)).toEqual([second.hash])
    await until(() => expect(gateway.gateway.health().reasons).toEqual([]))
  })

  test('error: full: filter calls fail, health names the cause, blocks continue', async () => {
    const started = await start()
    const { admin, chain, gateway } = started
    const id = await gateway.rpc<string>('eth_newBlockFilter')
    await admin.config('SET', 'maxmemory', '1')
    const message = 'the shared store (Redis) refuses writes (its memory is full), try again later'
    await expect(gateway.rpc('eth_newBlockFilter')).rejects.toMatchObject({ code: -32603, message })
    expect(gateway.gateway.health()).toMatchObject({
      reasons: expect.arrayContaining([
        'Redis refuses writes (its memory is full): new filters fail, polls may fail',
      ]) as string[],
      status: 'degraded',
    })
    // The leader cannot publish blocks either, so this replica polls the node itself.
    const block = chain.mine()
    await synced(started)
    await expect(changes(started, id)).rejects.toMatchObject({ code: -32603, message })
    await admin.config('SET', 'maxmemory', '0')
    expect(await recovered(started, id)).toEqual([block.hash])
  })
})
