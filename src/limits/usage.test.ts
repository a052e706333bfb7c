import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { explainSkip, redisServerMissing, startRedis } from '../../test/support/redis.ts'
import { until } from '../../test/support/until.ts'
import { createRedisLink } from '../lib/redis.ts'
import { createFileUsageStore, createRedisUsageStore, createUsage, type UsageRow } from './usage.ts'

explainSkip(redisServerMissing)

const DAY_MS = 86_400_000
const NOON = Date.UTC(2027, 0, 31, 12)

test('behavior: calls are counted on their day, also when the clock is set back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-usage-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const clock = { now: NOON }
  const store = createFileUsageStore(join(folder, 'usage.json'), () => clock.now)
  const usage = createUsage({
    now: () => clock.now,
    onError(error) {
      throw error
    },
    store,
  })
  onTestFinished(() => usage.stop())

  const times = [NOON, NOON + DAY_MS / 2 - 1, NOON + DAY_MS / 2, NOON]
  for (const time of times) {
    clock.now = time
    usage.add('alice', 'eth_call', 2)
  }
  await usage.flush()

  const row = { key: 'alice', method: 'eth_call' }
  expect(await store.read('2027-01-31')).toEqual([{ ...row, day: '2027-01-31', calls: 3, cost: 6 }])
  expect(await store.read('2027-02-01')).toEqual([{ ...row, day: '2027-02-01', calls: 1, cost: 2 }])
})

test('behavior: stops after the write in flight, and writes again what that one could not', async () => {
  let fail: (error: Error) => void = () => {}
  const failing = new Promise<void>((_, reject) => (fail = reject))
  const writes: (readonly UsageRow[])[] = []
  const usage = createUsage({
    now: () => NOON,
    onError: () => {},
    store: {
      add: (rows) => (writes.push(rows) === 1 ? failing : Promise.resolve()),
      read: async () => [],
    },
  })
  usage.add('alice', 'eth_call', 2)
  void usage.flush()
  const stopped = usage.stop()
  await new Promise(setImmediate)
  fail(new Error('Redis is full'))
  await stopped
  const row = { day: '2027-01-31', key: 'alice', method: 'eth_call', calls: 1, cost: 2 }
  expect(writes).toEqual([[row], [row]])
})

test.skipIf(redisServerMissing)(
  'behavior: what a full Redis refuses is written later, once',
  async () => {
    const redis = await startRedis({ durable: false })
    const link = createRedisLink({ prefix: 'usage', url: redis.url })
    onTestFinished(async () => {
      await link.close()
      await redis.close()
    })
    await until(() => expect(link.status()).toBe('up'))
    const store = createRedisUsageStore({ link })
    const errors: unknown[] = []
    const usage = createUsage({ now: () => NOON, onError: (error) => errors.push(error), store })
    const row = { day: '2027-01-31', key: 'alice', method: 'eth_call' }

    usage.add('alice', 'eth_call', 2)
    await usage.flush()
    await link.client.config('SET', 'maxmemory', '1')
    usage.add('alice', 'eth_call', 2)
    await usage.flush()
    expect(errors).toHaveLength(1)
    await link.client.config('SET', 'maxmemory', '0')
    await usage.stop()
    expect(await store.read('2027-01-31')).toEqual([{ ...row, calls: 2, cost: 4 }])
  },
)

test.skipIf(redisServerMissing)('behavior: numbers above 2^53 are counted', async () => {
  const redis = await startRedis({ durable: false })
  const link = createRedisLink({ prefix: 'usage', url: redis.url })
  onTestFinished(async () => {
    await link.close()
    await redis.close()
  })
  await until(() => expect(link.status()).toBe('up'))
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-usage-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = createFileUsageStore(join(folder, 'usage.json'), () => NOON)
  for (const store of [createRedisUsageStore({ link }), file]) {
    const row = { day: '2027-01-31', key: 'alice', method: 'eth_call' }
    await store.add([{ ...row, calls: 1, cost: 2 ** 53 }])
    await store.add([{ ...row, calls: 2 ** 53, cost: 1_024.5 }])
    const [read] = await store.read('2027-01-31')
    expect(read?.calls).toBeCloseTo(2 ** 53 + 1, -1)
    expect(read?.cost).toBeCloseTo(2 ** 53 + 1_024.5, -1)
  }
})
