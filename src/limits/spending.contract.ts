import { describe, expect, test } from 'vitest'

import type { SpendingStore } from './spending.ts'

/** What every store does. @param open - opens the same sums again, with names of keys that no other test has */
export function testSpendingStore(
  name: string,
  open: () => Promise<{
    again: () => Promise<SpendingStore>
    nextDay: () => void
    store: SpendingStore
  }>,
): void {
  describe(`${name}: spending`, () => {
    test('default: adds up to the limit, to the sun', async () => {
      const { store } = await open()
      expect(await store.add('a', 60, 100)).toEqual({ isAdded: true, spent: 60 })
      expect(await store.add('a', 41, 100)).toEqual({ isAdded: false, spent: 60 })
      expect(await store.add('a', 40, 100)).toEqual({ isAdded: true, spent: 100 })
      expect(await store.add('a', 0, 100)).toEqual({ isAdded: true, spent: 100 })
      expect(await store.add('a', 1, 100)).toEqual({ isAdded: false, spent: 100 })
      expect(await store.add('constructor', 1, 100)).toEqual({ isAdded: true, spent: 1 })
    })

    test('args: the largest amounts are exact', async () => {
      const { store } = await open()
      const most = Number.MAX_SAFE_INTEGER
      expect(await store.add('a', most - 1, most)).toEqual({ isAdded: true, spent: most - 1 })
      expect(await store.add('a', most, most)).toEqual({ isAdded: false, spent: most - 1 })
      expect(await store.add('a', 2, most)).toEqual({ isAdded: false, spent: most - 1 })
      expect(await store.add('a', 1, most)).toEqual({ isAdded: true, spent: most })
    })

    test('behavior: concurrent amounts never exceed the limit together', async () => {
      const { store } = await open()
      const added = await Promise.all(Array.from({ length: 50 }, () => store.add('a', 3, 100)))
      expect(added.filter(({ isAdded }) => isAdded)).toHaveLength(33)
      expect(Math.max(...added.map(({ spent }) => spent))).toBe(99)
    })

    test('args: requests for one transaction count once, with the largest amount', async () => {
      const { store } = await open()
      const add = (amount: number, once: string) => store.add('a', amount, 100, once)
      const spent = await Promise.all([30, 30, 30].map((amount) => add(amount, '0x1')))
      expect(spent.map((one) => one.spent)).toEqual([30, 30, 30])
      expect(await add(40, '0x1')).toEqual({ isAdded: true, spent: 40 })
      expect(await add(20, '0x1')).toEqual({ isAdded: true, spent: 40 })
      expect(await add(60, '0x2')).toEqual({ isAdded: true, spent: 100 })
      expect(await add(41, '0x1')).toEqual({ isAdded: false, spent: 100 })
      expect(await store.add('b', 30, 100, '0x1')).toEqual({ isAdded: true, spent: 30 })
    })

    test('behavior: sums survive a restart', async () => {
      const { again, store } = await open()
      await store.add('a', 60, 100)
      expect(await (await again()).add('a', 50, 100)).toEqual({ isAdded: false, spent: 60 })
    })

    test('behavior: a new day begins at zero', async () => {
      const { nextDay, store } = await open()
      await store.add('a', 60, 100)
      nextDay()
      expect(await store.add('a', 50, 100)).toEqual({ isAdded: true, spent: 50 })
    })
  })
}
