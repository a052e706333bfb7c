import type { Hash } from 'viem'
import { expect, test } from 'vitest'

import type { ChainUpdate, RecentBlock, Window } from '../chain/head/headTypes.ts'
import type { NativeClient } from '../native/client.ts'
import { createFollow } from './follow.ts'
import { createMemorySentStore } from './memorySentStore.ts'

const hash = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`
const from = `0x${'aa'.repeat(20)}` as const

/** Block `n` of a branch; its time is its height in seconds. */
function blockOf(number: number, transactions: Hash[] = [], branch = 0): RecentBlock {
  const at = (height: number) => hash(height + 1_000 * branch + 1_000_000)
  return {
    number,
    hash: at(number),
    parentHash: at(number - 1),
    timestamp: number * 1_000,
    transactions,
  } as unknown as RecentBlock
}

/** A follower with a head that the test controls, and a node that has the solidified blocks of `older`. */
function createScene(store = createMemorySentStore()) {
  const errors: unknown[] = []
  const resent: Hash[] = []
  const older = new Map<number, RecentBlock>()
  const node = { isDown: false, asked: 0, has: new Set<string>() }
  let listener: (update: ChainUpdate) => void = () => {}
  let blocks: RecentBlock[] = []
  const follow = createFollow({
    contracts: { refresh: async () => {} },
    head: {
      at: (number) => blocks.find((block) => block.number === number),
      blockWith: (id) => blocks.find(({ transactions }) => transactions.includes(id)),
      window: () => (blocks.length > 0 ? ({ blocks } as unknown as Window) : undefined),
      onUpdate(given) {
        listener = given
        return () => {}
      },
    },
    native: {
      solidity: {
        async getBlock({ id_or_num }: { id_or_num: string }) {
          node.asked++
          if (node.isDown) throw new Error('down')
          const block = older.get(Number(id_or_num))
          return (
            block && {
              blockID: block.hash.slice(2),
              block_header: {
                raw_data: { parentHash: block.parentHash.slice(2), timestamp: block.timestamp },
              },
              transactions: block.transactions.map((id) => ({ txID: id.slice(2) })),
            }
          )
        },
        async getTransactionById({ value }: { value: string }) {
          if (node.isDown) throw new Error('down')
          return node.has.has(value) ? {} : undefined
        },
      },
    } as unknown as NativeClient,
    onError: (error) => errors.push(error),
    resend: async (id) => void resent.push(id),
    store,
  })
  follow.start()

  /** Adds blocks after the removed ones. @param solid - height of the solidified block */
  async function update(added: RecentBlock[], solid: number, removed = 0) {
    const gone = removed > 0 ? blocks.slice(-removed).toReversed() : []
    blocks = [...(removed > 0 ? blocks.slice(0, -removed) : blocks), ...added]
    listener({ added, removed: gone, solidified: blockOf(solid) })
    await follow.stop()
    follow.start()
  }
  const forget = () => (blocks = [])
  const send = (n: number, after = 99) =>
    store.reserve({
      id: hash(n),
      from,
      expiration: (after + n) * 1_000,
      hex: 'aa',
      after: { number: after, hash: blockOf(after).hash },
    })
  const state = async (n: number) => (await store.find(hash(n)))?.state
  return { errors, forget, node, older, resent, send, state, store, update }
}

test('default: mined by its block, without a call; final when the block is solidified', async () => {
  const { node, send, state, store, update } = createScene()
  await update([blockOf(99), blockOf(100)], 99)
  await send(10)
  await update([blockOf(101, [hash(10), hash(9)])], 99)
  expect(await state(10)).toBe('mined')
  expect(await store.counts(from)).toEqual({ mined: 1, next: 1 })
  await update([blockOf(102)], 101)
  expect(await state(10)).toBe('final')
  expect(node.asked).toBe(0)
})

test('behavior: pending and sent again when its block is removed; mined again by another block', async () => {
  const { resent, send, state, store, update } = createScene()
  await update([blockOf(99), blockOf(100)], 99)
  await send(10)
  await send(11)
  await update([blockOf(101, [hash(10), hash(11)])], 99)
  await update([blockOf(101, [], 1), blockOf(102, [hash(11)], 1)], 99, 1)
  expect(await state(10)).toBe('pending')
  expect(await store.find(hash(10))).toMatchObject({ hex: 'aa' })
  expect(await store.find(hash(11))).toMatchObject({ state: 'mined', block: { number: 102 } })
  expect(resent).toEqual([hash(10)])
})

test('error: sent again after its block was removed, also when the node fails at another one', async () => {
  const { errors, node, resent, send, state, update } = createScene()
  await update([blockOf(99), blockOf(100)], 99)
  await send(10)
  await send(1)
  await update([blockOf(101, [hash(10)])], 99)
  node.isDown = true
  await update([blockOf(101, [], 1), blockOf(102, [], 1), blockOf(103, [], 1)], 102, 1)
  expect(errors).toHaveLength(1)
  expect(await state(10)).toBe('pending')
  expect(resent).toEqual([hash(10)])
})

test('behavior: a removed block that no process has seen removed, because none ran', async () => {
  const { resent, send, state, store, update } = createScene()
  await send(10)
  await send(11)
  for (const n of [10, 11])
    await store.change(hash(n), { event: 'seen', block: { number: 101, hash: hash(5) } })
  await update([blockOf(99), blockOf(100, [hash(11)]), blockOf(101), blockOf(102)], 101)
  expect(await state(10)).toBe('pending')
  expect(await store.find(hash(11))).toMatchObject({ state: 'final', block: { number: 100 } })
  expect(resent).toEqual([hash(10)])
})

test('default: expired when a solidified block is past the expiration and no block has it', async () => {
  const { send, state, store, update } = createScene()
  await update([blockOf(99)], 99)
  await send(1)
  await send(3)
  await update([blockOf(100), blockOf(101), blockOf(102)], 100)
  // The block at the very time of the expiration says nothing about the next one.
  expect(await state(1)).toBe('pending')
  await update([blockOf(103)], 102)
  expect(await state(1)).toBeUndefined()
  expect(await store.ending(hash(1))).toMatchObject({ state: 'expired' })
  expect(await state(3)).toBe('pending')
})

test('error: nodes that show nothing of a mined transaction do not make it expire', async () => {
  const { send, state, store, update } = createScene()
  await update([blockOf(99)], 99)
  await send(1)
  // The event of its block was lost.
  await update([blockOf(100, [hash(1)])], 99)
  await store.change(hash(1), { event: 'removed', block: blockOf(100) })
  await update([blockOf(101), blockOf(102), blockOf(103)], 102)
  expect(await state(1)).toBe('mined')
})

test('behavior: blocks that nobody has read are read before anything expires', async () => {
  const { errors, node, older, send, state, update } = createScene()
  await send(2, 10)
  await send(3, 10)
  await send(4, 10)
  for (let n = 10; n < 100; n++) older.set(n, blockOf(n, n === 12 ? [hash(3)] : []))
  const gap = older.get(12) as RecentBlock
  older.delete(12)
  // The node that answers stands: it has not got all of them.
  await update([blockOf(100)], 100)
  expect(errors).toHaveLength(1)
  expect(await state(2)).toBe('pending')
  older.set(12, blockOf(12, [], 7))
  await update([blockOf(101)], 101)
  // A block of another branch proves nothing either.
  expect(await state(2)).toBe('pending')
  older.set(12, gap)
  await update([blockOf(102)], 102)
  expect(await state(2)).toBeUndefined()
  expect(await state(3)).toBe('final')
  expect(await state(4)).toBeUndefined()
  // No more than the blocks that can have them.
  expect(node.asked).toBeLessThan(40)
})

test('behavior: one update reads a limited number of blocks, however many transactions need them', async () => {
  const { node, older, send, state, update } = createScene()
  for (const n of [400, 500, 600]) await send(n, 10)
  for (let n = 10; n < 1_000; n++) older.set(n, blockOf(n))
  await update([blockOf(1_000)], 1_000)
  expect(node.asked).toBe(256)
  expect(await state(400)).toBe('pending')
  for (const n of [1_001, 1_002]) await update([blockOf(n)], n)
  expect(await Promise.all([400, 500, 600].map(state))).toEqual([undefined, undefined, undefined])
})

test('behavior: sent elsewhere before, and shown by a node in a solidified block', async () => {
  const { node, send, state, update } = createScene()
  await update([blockOf(99)], 99)
  await send(1)
  node.has.add(hash(1).slice(2))
  await update([blockOf(100), blockOf(101), blockOf(102)], 102)
  expect(await state(1)).toBe('final')
})

test('error: a node that fails releases nothing; the next block tries again', async () => {
  const { errors, node, send, state, update } = createScene()
  await update([blockOf(99)], 99)
  await send(1)
  node.isDown = true
  await update([blockOf(100), blockOf(101), blockOf(102)], 102)
  expect(errors).toHaveLength(1)
  expect(await state(1)).toBe('pending')
  node.isDown = false
  await update([blockOf(103)], 103)
  expect(await state(1)).toBeUndefined()
})

test('error: transactions of a block whose head failed are found with the next one', async () => {
  const memory = createMemorySentStore()
  let isDown = false
  const { errors, send, state, update } = createScene({
    ...memory,
    pick: (ids) => (isDown ? Promise.reject(new Error('down')) : memory.pick(ids)),
  })
  await update([blockOf(99)], 99)
  await send(10)
  isDown = true
  await update([blockOf(100, [hash(10)])], 99)
  await update([blockOf(101)], 99)
  expect(errors).toHaveLength(2)
  isDown = false
  await update([blockOf(102)], 99)
  expect(await state(10)).toBe('mined')
})

test('error: blocks that left the window before they were looked up are read before anything expires', async () => {
  const memory = createMemorySentStore()
  let isDown = false
  const { forget, node, older, send, state, update } = createScene({
    ...memory,
    pick: (ids) => (isDown ? Promise.reject(new Error('down')) : memory.pick(ids)),
  })
  await update([blockOf(99)], 99)
  await send(1)
  isDown = true
  await update([blockOf(100, [hash(1)])], 99)
  isDown = false
  forget()
  for (const n of [99, 100, 101, 102]) older.set(n, blockOf(n, n === 100 ? [hash(1)] : []))
  await update([blockOf(103)], 103)
  expect(await state(1)).toBe('final')
  expect(node.asked).toBeGreaterThan(0)
})

test('behavior: the contract of a mined creation is recorded, as its process may have ended before', async () => {
  const { store, update } = createScene()
  await update([blockOf(99)], 99)
  await store.reserve({ id: hash(1), from, expiration: 200_000, creates: true })
  await store.reserve({ id: hash(2), from, expiration: 200_000 })
  await update([blockOf(100, [hash(1), hash(2)])], 99)
  expect((await store.contracts(0)).contracts).toHaveLength(1)
})

test('error: the contract of a mined creation that could not be recorded is recorded with the next block', async () => {
  const memory = createMemorySentStore()
  let isDown = true
  const { store, update } = createScene({
    ...memory,
    addContract: (id) => (isDown ? Promise.reject(new Error('down')) : memory.addContract(id)),
  })
  await update([blockOf(99)], 99)
  await store.reserve({ id: hash(1), from, expiration: 200_000, creates: true })
  await update([blockOf(100, [hash(1)])], 99)
  isDown = false
  await update([blockOf(101)], 99)
  expect((await store.contracts(0)).contracts).toHaveLength(1)
})

test('behavior: the contract of a creation in a block that nobody has read is recorded', async () => {
  const { older, store, update } = createScene()
  const after = { number: 10, hash: blockOf(10).hash }
  await store.reserve({ after, creates: true, expiration: 13_000, from, id: hash(1) })
  for (let n = 10; n < 100; n++) older.set(n, blockOf(n, n === 12 ? [hash(1)] : []))
  await update([blockOf(100)], 100)
  expect(await store.find(hash(1))).toMatchObject({ state: 'final' })
  expect((await store.contracts(0)).contracts).toHaveLength(1)
})
