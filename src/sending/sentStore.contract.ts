import type { Address, Hash } from 'viem'
import { beforeEach, expect, test } from 'vitest'

import { createdContract } from './contracts.ts'
import type { SentStore } from './sentStore.ts'

const hash = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`
const from: Address = `0x${'a1'.repeat(20)}`
const other: Address = `0x${'b2'.repeat(20)}`

function sent(n: number, more: { from?: Address; nonce?: number; alias?: Hash } = {}) {
  return { id: hash(n), from, expiration: 1_000 + n, hex: 'aa', ...more }
}

/** The suite that every store of sent transactions passes. `open` returns two replicas of one empty store. */
export function describeSentStore(open: () => Promise<{ a: SentStore; b: SentStore }>): void {
  let a: SentStore
  let b: SentStore

  beforeEach(async () => {
    ;({ a, b } = await open())
  })

  test('default: counts pending transactions, then mined ones, for each sender', async () => {
    expect(await a.reserve(sent(1))).toEqual({ outcome: 'reserved', nonce: 0 })
    expect(await b.reserve(sent(2))).toEqual({ outcome: 'reserved', nonce: 1 })
    expect(await b.reserve(sent(3, { from: other }))).toEqual({ outcome: 'reserved', nonce: 0 })
    expect(await a.counts(from)).toEqual({ mined: 0, next: 2 })
    await a.confirm(hash(1))
    expect(await b.counts(from)).toEqual({ mined: 1, next: 2 })
    expect(await b.counts(other)).toEqual({ mined: 0, next: 1 })
  })

  test('behavior: a transaction that two replicas mark as mined counts once', async () => {
    await a.reserve(sent(1))
    await Promise.all([a.confirm(hash(1)), b.confirm(hash(1)), a.confirm(hash(1))])
    await b.release(hash(1), { state: 'expired' })
    expect(await a.counts(from)).toEqual({ mined: 1, next: 1 })
  })

  test('behavior: a nonce must be the next one', async () => {
    await a.reserve(sent(1, { nonce: 0 }))
    await a.confirm(hash(1))
    await b.reserve(sent(2, { nonce: 1 }))
    expect(await a.reserve(sent(3, { nonce: 0 }))).toEqual({ outcome: 'low', next: 2 })
    expect(await a.reserve(sent(3, { nonce: 1 }))).toEqual({ outcome: 'taken', next: 2 })
    expect(await b.reserve(sent(3, { nonce: 3 }))).toEqual({ outcome: 'high', next: 2 })
    expect(await b.reserve(sent(3, { nonce: 2 }))).toEqual({ outcome: 'reserved', nonce: 2 })
  })

  test('behavior: known distinguishes bytes of the same Ethereum transaction from those of another one', async () => {
    await a.reserve(sent(1, { alias: hash(101), nonce: 0 }))
    // Sent before, signed with other bytes.
    expect(await b.reserve(sent(2, { alias: hash(101), nonce: 0 }))).toEqual({
      outcome: 'known',
      id: hash(1),
    })
    // Never sent, but signed with the same bytes in the same millisecond: must be signed again.
    expect(await b.reserve(sent(1, { alias: hash(102), nonce: 1 }))).toEqual({
      outcome: 'known',
      id: hash(1),
    })
    expect(await b.reserve(sent(3, { alias: hash(102), nonce: 1 }))).toEqual({
      outcome: 'reserved',
      nonce: 1,
    })
  })

  test('behavior: of two replicas that reserve one nonce, one gets it', async () => {
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((n) => (n % 2 ? a : b).reserve(sent(n, { nonce: 0 }))),
    )
    const names = outcomes.map(({ outcome }) => outcome).toSorted()
    expect(names).toEqual(['reserved', 'taken', 'taken', 'taken'])
  })

  test('default: the ending of a released transaction is known to all replicas, by both hashes', async () => {
    const why = { state: 'refused', nodes: ['one'], reason: 'no' } as const
    await a.reserve(sent(1, { alias: hash(101) }))
    await a.release(hash(1), { ...why, nodes: [...why.nodes] })
    const ending = { id: hash(1), alias: hash(101), expiration: 1_001, ...why }
    expect(await b.ending(hash(1))).toEqual(ending)
    expect(await b.ending(hash(101))).toEqual(ending)
    await b.reserve(sent(2))
    await b.confirm(hash(2))
    await a.release(hash(2), { state: 'expired' })
    expect(await a.ending(hash(2))).toBeUndefined()
  })

  test('behavior: the same id or the same alias is known, with its id', async () => {
    const alias = hash(99)
    await a.reserve(sent(1, { alias }))
    expect(await b.reserve(sent(1))).toEqual({ outcome: 'known', id: hash(1) })
    expect(await b.reserve(sent(2, { alias }))).toEqual({ outcome: 'known', id: hash(1) })
    await a.confirm(hash(1))
    expect(await b.reserve(sent(2, { alias }))).toEqual({ outcome: 'known', id: hash(1) })
  })

  test('behavior: a released transaction is dropped, and its nonce is free', async () => {
    const alias = hash(99)
    await a.reserve(sent(1, { alias, nonce: 0 }))
    await b.release(hash(1), { state: 'expired' })
    expect(await a.find(alias)).toBeUndefined()
    expect(await a.counts(from)).toEqual({ mined: 0, next: 0 })
    expect(await b.reserve(sent(2, { alias, nonce: 0 }))).toEqual({ outcome: 'reserved', nonce: 0 })
  })

  test('behavior: a released nonce is assigned again, a pending or mined one never', async () => {
    for (const nonce of [0, 1, 2]) await a.reserve(sent(nonce, { nonce }))
    await b.release(hash(1), { state: 'expired' })
    expect(await a.counts(from)).toEqual({ mined: 0, next: 1 })
    await a.confirm(hash(0))
    await a.confirm(hash(2))
    // 2 is mined after a gap.
    expect(await b.counts(from)).toEqual({ mined: 1, next: 1 })
    expect(await b.reserve(sent(4, { nonce: 2 }))).toEqual({ outcome: 'low', next: 1 })
    expect(await b.reserve(sent(4, { nonce: 3 }))).toEqual({ outcome: 'high', next: 1 })
    expect(await a.reserve(sent(4))).toEqual({ outcome: 'reserved', nonce: 1 })
    expect(await b.reserve(sent(5))).toEqual({ outcome: 'reserved', nonce: 3 })
    await a.confirm(hash(4))
    expect(await b.counts(from)).toEqual({ mined: 3, next: 4 })
  })

  test('behavior: a transaction is found by id and by alias, also when it is mined', async () => {
    const alias = hash(99)
    await a.reserve(sent(1, { alias }))
    await a.confirm(hash(1))
    // The signed bytes are kept while it is pending.
    const { hex: _, ...rest } = sent(1)
    const expected = { ...rest, alias, nonce: 0 }
    expect(await b.find(hash(1))).toEqual(expected)
    expect(await b.find(alias)).toEqual(expected)
    expect(await b.find(hash(7))).toBeUndefined()
  })

  test('behavior: pending ids, ordered by expiration', async () => {
    for (const n of [3, 1, 2]) await a.reserve(sent(n, n === 2 ? { from: other } : {}))
    expect(await b.pending({ limit: 10 })).toEqual([hash(1), hash(2), hash(3)])
    expect(await b.pending({ limit: 1 })).toEqual([hash(1)])
    expect(await b.pending({ from, limit: 10 })).toEqual([hash(1), hash(3)])
    expect(await b.pending({ expiredAt: 1_002, limit: 10 })).toEqual([hash(1)])
    expect(await b.pick([hash(9), hash(3), hash(1)])).toEqual([hash(3), hash(1)])
    expect(await b.pick([])).toEqual([])
    // As many as a long gap in the chain has, and more than a function takes as arguments.
    const many = Array.from({ length: 200_000 }, (_, index) => hash(1_000 + index))
    expect(await b.pick([...many, hash(2)])).toEqual([hash(2)])
  })

  test('behavior: other replicas read new contracts after a cursor', async () => {
    await a.reserve(sent(1))
    await a.reserve(sent(2))
    await a.addContract(hash(1))
    const { contracts, next } = await b.contracts(0)
    expect(contracts).toEqual([createdContract(hash(1), from, 0)])
    await a.addContract(hash(1))
    await a.addContract(hash(2))
    expect((await b.contracts(next)).contracts).toEqual([createdContract(hash(2), from, 1)])
  })

  test('behavior: a released creation has no contract; its predicted address is that of the retry', async () => {
    const { predicted } = createdContract(hash(1), from, 0)
    await a.reserve(sent(1))
    await a.addContract(hash(1))
    const { next } = await b.contracts(0)
    await b.release(hash(1), { state: 'expired' })
    expect((await b.contracts(next)).contracts).toEqual([{ predicted }])
    // The answer to its broadcast arrived late.
    await a.addContract(hash(1))
    await a.reserve(sent(2))
    await a.addContract(hash(2))
    expect((await b.contracts(0)).contracts.at(-1)).toEqual(createdContract(hash(2), from, 0))
    await a.confirm(hash(2))
    await a.release(hash(2), { state: 'expired' })
    expect((await b.contracts(0)).contracts.at(-1)).toEqual(createdContract(hash(2), from, 0))
  })

  test('behavior: a rejected creation leaves nothing', async () => {
    const { next } = await b.contracts(0)
    await a.reserve(sent(1))
    await a.release(hash(1), { state: 'expired' })
    expect(await b.contracts(next)).toEqual({ contracts: [], next })
  })
}
