import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { describe, expect, test } from 'vitest'

import { createMemorySentStore } from './memorySentStore.ts'
import { describeSentStore } from './sentStore.contract.ts'

describe('createMemorySentStore', () => {
  describeSentStore(async () => {
    const store = createMemorySentStore()
    return { a: store, b: store }
  })

  test('behavior: mined transactions beyond the capacity are dropped, pending ones never', async () => {
    const store = createMemorySentStore({ capacity: 2 })
    const ids = [1, 2, 3].map((n) => `0x${`${n}`.repeat(64)}` as const)
    for (const id of ids) {
      await store.reserve({ id, from: '0x', expiration: 1 })
      if (id !== ids[2]) await store.confirm(id)
    }
    expect(await Promise.all(ids.map(async (id) => Boolean(await store.find(id))))).toEqual([
      false,
      true,
      true,
    ])
    expect(await store.counts('0x')).toEqual({ mined: 2, next: 3 })
  })

  test('behavior: an old pending transaction does not keep those after it beyond the capacity', async () => {
    const store = createMemorySentStore({ capacity: 2 })
    const ids = [1, 2, 3, 4].map((n) => `0x${`${n}`.repeat(64)}` as const)
    for (const id of ids) {
      await store.reserve({ id, from: '0x', expiration: 1 })
      if (id !== ids[0]) await store.confirm(id)
    }
    expect(await Promise.all(ids.map(async (id) => Boolean(await store.find(id))))).toEqual([
      true,
      false,
      false,
      true,
    ])
  })

  test('behavior: transactions are dropped after 30 days', async () => {
    let time = 0
    const store = createMemorySentStore({ now: () => time })
    await store.reserve({ id: '0x01', from: '0x', expiration: 1 })
    time = 30 * 86_400_000
    expect(await store.find('0x01')).toBeUndefined()
  })
})

test('behavior: reading the counts of addresses keeps nothing', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const store = createMemorySentStore()
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = used()
  for (let n = 0; n < 50_000; n++) await store.counts(`0x${n.toString(16).padStart(40, '0')}`)
  // Each entry took 400 bytes.
  expect(used() - before).toBeLessThan(10_000_000)
  expect(await store.counts(`0x${'00'.repeat(20)}`)).toEqual({ mined: 0, next: 0 })
})
