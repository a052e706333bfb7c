import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { explainSkip, redisMissing, someRedis } from '../../test/support/redis.ts'
import { until } from '../../test/support/until.ts'
import { createRedisLink, type RedisLink } from '../lib/redis.ts'
import { DAY_MS } from './caller.ts'
import { testSpendingStore } from './spending.contract.ts'
import { createFileSpendingStore, createRedisSpendingStore, createSpender } from './spending.ts'

explainSkip(redisMissing)

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-spending-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

testSpendingStore('file', async () => {
  const path = join(newFolder(), 'spent.json')
  let now = 1_800_000_000_000
  const store = createFileSpendingStore(path, () => now)
  let newest = store
  onTestFinished(() => newest.close())
  return {
    store,
    nextDay: () => (now += DAY_MS),
    async again() {
      await store.close()
      return (newest = createFileSpendingStore(path, () => now))
    },
  }
})

describe.skipIf(redisMissing)('with Redis', () => {
  let redis: Awaited<ReturnType<typeof someRedis>>
  let link: RedisLink
  beforeAll(async () => {
    redis = await someRedis()
    link = createRedisLink({ prefix: randomBytes(6).toString('hex'), url: redis.url })
    await until(() => {
      if (link.status() !== 'up') throw new Error('Redis is not connected')
    })
  })
  afterAll(async () => {
    await link.close()
    await redis.close()
  })

  testSpendingStore('redis', async () => {
    const prefix = randomBytes(6).toString('hex')
    const key = (name: string) => link.key(`${prefix}:${name}`)
    const open = () =>
      createRedisSpendingStore({ link: { key, script: (lua) => link.script(lua) } })
    return {
      store: open(),
      again: async () => open(),
      // Its day is that of Redis, so the stored one becomes the day before.
      nextDay: () => void link.client.hincrby(key('spent:a'), 'day', -1),
    }
  })
})

test('error: a second process does not count in the same file', async () => {
  const path = join(newFolder(), 'spent.json')
  const [first, second] = [createFileSpendingStore(path), createFileSpendingStore(path)]
  expect(await first.add('a', 1, 10)).toMatchObject({ isAdded: true })
  await expect(second.add('a', 1, 10)).rejects.toMatchObject({ code: -32603 })
  await first.close()
  expect(await second.add('a', 9, 10)).toEqual({ isAdded: true, spent: 10 })
  await second.close()
})

test('error: a folder that cannot be used; the next call tries again', async () => {
  const folder = join(newFolder(), 'state')
  writeFileSync(folder, 'a file in its place')
  const [store, other] = [1, 2].map(() => createFileSpendingStore(join(folder, 'spent.json')))
  for (const one of [store, other])
    await expect(one?.add('a', 1, 10)).rejects.toMatchObject({ code: -32603 })
  await other?.close()
  rmSync(folder)
  expect(await store?.add('a', 1, 10)).toEqual({ isAdded: true, spent: 1 })
  await store?.close()
})

test('error: a broken file refuses to spend', async () => {
  const path = join(newFolder(), 'spent.json')
  writeFileSync(path, '{')
  const store = createFileSpendingStore(path)
  await expect(store.add('a', 1, 10)).rejects.toMatchObject({ code: -32603 })
  await store.close()
})

test('error: without a store, a key with a limit spends nothing', async () => {
  const key = { name: 'a', sha256: '', limits: {}, spend: 10 }
  const spender = createSpender(key, { bound: () => new Set(), now: Date.now, store: undefined })
  await expect(spender.spend(async () => 0n)).rejects.toMatchObject({ code: -32603 })
})
