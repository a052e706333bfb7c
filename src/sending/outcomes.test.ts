import type { Hash } from 'viem'
import { expect, test } from 'vitest'

import type { ChainUpdate, RecentBlock } from '../chain/head/headTypes.ts'
import type { NativeClient } from '../native/client.ts'
import { createMemorySentStore } from './memorySentStore.ts'
import { createOutcomes } from './outcomes.ts'

const hash = (n: number): Hash => `0x${`${n}`.repeat(64)}`
const from = `0x${'aa'.repeat(20)}` as const

/** Outcomes with a head that the test controls and a node that has the receipts of `mined`. */
async function createScene() {
  const store = createMemorySentStore()
  const mined = new Set<string>()
  const errors: unknown[] = []
  let listener: (change: ChainUpdate) => void = () => {}
  const blocks: RecentBlock[] = []
  let down = false
  const wallet = {
    async getTransactionInfoById({ value }: { value: string }) {
      if (down) throw new Error('down')
      return mined.has(value) ? { blockNumber: 223, id: value } : undefined
    },
  }
  const outcomes = createOutcomes({
    contracts: { refresh: async () => {} },
    head: {
      latest: () => ({ number: 223 }) as ChainUpdate['solidified'],
      window: () => ({ blocks, orphans: new Map(), solidified: blocks[0] as RecentBlock }),
      onUpdate(given) {
        listener = given
        return () => {}
      },
    },
    native: { wallet } as unknown as NativeClient,
    onError: (error) => errors.push(error),
    store,
  })
  outcomes.start()
  for (const n of [1, 2]) await store.reserve({ id: hash(n), from, expiration: n * 1_000 })

  return {
    errors,
    mined,
    store,
    goDown: (value: boolean) => (down = value),
    block: async (timestamp: number, transactions: Hash[] = [], solid = timestamp) => {
      const block = { number: 100 + blocks.length, timestamp, transactions } as RecentBlock
      blocks.push(block)
      listener({
        added: [block],
        removed: [],
        solidified: { timestamp: solid } as ChainUpdate['solidified'],
      })
      await outcomes.stop()
      outcomes.start()
    },
  }
}

test('default: mined when the head has the block and its receipt can be read', async () => {
  const { block, mined, store } = await createScene()
  await block(500, [hash(1), hash(9)])
  expect(await store.counts(from)).toEqual({ mined: 0, next: 2 })
  mined.add(hash(1).slice(2))
  await block(600, [hash(1)])
  expect(await store.counts(from)).toEqual({ mined: 1, next: 2 })
})

test('behavior: an expired transaction is released unless it was mined', async () => {
  const { block, mined, store } = await createScene()
  mined.add(hash(1).slice(2))
  await block(1_000)
  expect(await store.counts(from)).toEqual({ mined: 0, next: 2 })
  await block(2_001)
  expect(await store.counts(from)).toEqual({ mined: 1, next: 1 })
  expect(await store.find(hash(2))).toBeUndefined()
  expect(await store.ending(hash(2))).toMatchObject({ state: 'expired', expiration: 2_000 })
})

test('behavior: an expired transaction is kept until a later block is solidified', async () => {
  const { block, store } = await createScene()
  await block(60_000, [], 1_500)
  expect(await store.counts(from)).toEqual({ mined: 0, next: 0 })
  expect(await store.find(hash(2))).toBeDefined()
  await block(63_000, [], 2_001)
  expect(await store.find(hash(2))).toBeUndefined()
})

test('error: an unreachable node releases nothing; the next block tries again', async () => {
  const { block, errors, goDown, mined, store } = await createScene()
  mined.add(hash(1).slice(2))
  goDown(true)
  await block(3_000)
  expect(errors).toHaveLength(1)
  expect(await store.counts(from)).toEqual({ mined: 0, next: 2 })
  goDown(false)
  await block(4_000)
  expect(await store.counts(from)).toEqual({ mined: 1, next: 1 })
})

test('behavior: transactions of a block whose head failed are found with the next one', async () => {
  const { block, errors, goDown, mined, store } = await createScene()
  for (const n of [1, 2]) mined.add(hash(n).slice(2))
  goDown(true)
  await block(500, [hash(1)])
  await block(510, [hash(2)])
  expect(errors).toHaveLength(2)
  goDown(false)
  await block(520, [hash(9)])
  expect(await store.counts(from)).toEqual({ mined: 2, next: 2 })
})
