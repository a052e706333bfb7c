import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { describe, expect, test } from 'vitest'

import { createMemorySentStore } from './memorySentStore.ts'
import { describeSentStore } from './sentStore.contract.ts'
import type { SentStore } from './sentStore.ts'

/** Reserves transactions, the first one first. @returns which of them the store still has */
async function keptOf(store: SentStore, states: readonly ('mined' | 'pending')[]) {
  const idOf = (index: number) => `0x${String(index + 1).repeat(64)}` as const
  for (const [index, state] of states.entries()) {
    await store.reserve({ id: idOf(index), from: '0x', expiration: 1 })
    if (state === 'mined') await store.change(idOf(index), { event: 'final' })
  }
  return Promise.all(states.map(async (_, index) => Boolean(await store.find(idOf(index)))))
}

describe('createMemorySentStore', () => {
  describeSentStore(async () => {
    const store = createMemorySentStore()
    return { a: store, b: store }
  })

  test('behavior: mined transactions beyond the capacity are dropped, pending ones never', async () => {
    const store = createMemorySentStore({ capacity: 2 })
    expect(await keptOf(store, ['mined', 'pending', 'mined', 'mined'])).toEqual([
      false,
      true,
      true,
      true,
    ])
    expect(await store.counts('0x')).toEqual({ mined: 1, next: 4 })
  })

  test('behavior: transactions are dropped after 30 days', async () => {
    let time = 0
    const store = createMemorySentStore({ now: () => time })
    await store.reserve({ id: '0x01', from: '0x', expiration: 1 })
    await store.reserve({ id: '0x02', from: '0x', expiration: 1 })
    await store.change('0x01', { event: 'final' })
    time = 30 * 86_400_000
    expect(await store.find('0x01')).toBeUndefined()
    expect(await store.find('0x02')).toBeDefined()
    // A new reservation says the same.
    expect(await store.reserve({ id: '0x01', from: '0x', expiration: 1 })).toMatchObject({
      outcome: 'reserved',
    })
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
