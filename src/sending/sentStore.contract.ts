import type { Address, Hash } from 'viem'
import { beforeEach, expect, test } from 'vitest'

import { createdContract } from './contracts.ts'
import type { SentEvent, SentStore } from './sentStore.ts'

const hash = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`
const from: Address = `0x${'a1'.repeat(20)}`
const other: Address = `0x${'b2'.repeat(20)}`

const block = (n: number) => ({ number: n, hash: hash(1_000_000 + n) })

const finish = (store: SentStore, id: Hash) => store.change(id, { event: 'final', block: block(1) })

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
    await finish(a, hash(1))
    expect(await b.counts(from)).toEqual({ mined: 1, next: 2 })
    expect(await b.counts(other)).toEqual({ mined: 0, next: 1 })
  })

  test('behavior: a transaction that two replicas mark as mined counts once', async () => {
    await a.reserve(sent(1))
    await Promise.all([finish(a, hash(1)), finish(b, hash(1)), finish(a, hash(1))])
    await b.change(hash(1), { event: 'expired' })
    expect(await a.counts(from)).toEqual({ mined: 1, next: 1 })
  })

  test('behavior: a nonce must be the next one', async () => {
    await a.reserve(sent(1, { nonce: 0 }))
    await finish(a, hash(1))
    await b.reserve(sent(2, { nonce: 1 }))
    expect(await a.reserve(sent(3, { nonce: 0 }))).toEqual({ outcome: 'low', next: 2 })
    expect(await a.reserve(sent(3, { nonce: 1 }))).toEqual({ outcome: 'taken', next: 2 })
    expect(await b.reserve(sent(3, { nonce: 3 }))).toEqual({ outcome: 'high', next: 2 })
    expect(await b.reserve(sent(3, { nonce: 2 }))).toEqual({ outcome: 'reserved', nonce: 2 })
  })

  test('behavior: what was only signed has no broadcast, and no refusal frees it', async () => {
    await a.reserve({ ...sent(1), intent: 'to pay' })
    expect(await b.find(hash(1))).toMatchObject({ broadcasts: 0, hex: 'aa', intent: 'to pay' })
    await b.change(hash(1), { event: 'broadcast' })
    const why = { state: 'refused' as const, nodes: [], reason: 'no' }
    expect(await b.change(hash(1), { event: 'refused', why })).toMatchObject({ changed: false })
    expect(await a.find(hash(1))).toMatchObject({ broadcasts: 1, intent: 'to pay' })
    await b.change(hash(1), { event: 'expired' })
    expect(await a.counts(from)).toEqual({ mined: 0, next: 0 })
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
    await a.change(hash(1), { event: 'refused', why: { ...why, nodes: [...why.nodes] } })
    const ending = { id: hash(1), alias: hash(101), expiration: 1_001, ...why }
    expect(await b.ending(hash(1))).toEqual(ending)
    expect(await b.ending(hash(101))).toEqual(ending)
    await b.reserve(sent(2))
    await finish(b, hash(2))
    await a.change(hash(2), { event: 'expired' })
    expect(await a.ending(hash(2))).toBeUndefined()
  })

  test('behavior: the same id or the same alias is known, with its id', async () => {
    const alias = hash(99)
    await a.reserve(sent(1, { alias }))
    expect(await b.reserve(sent(1))).toEqual({ outcome: 'known', id: hash(1) })
    expect(await b.reserve(sent(2, { alias }))).toEqual({ outcome: 'known', id: hash(1) })
    await finish(a, hash(1))
    expect(await b.reserve(sent(2, { alias }))).toEqual({ outcome: 'known', id: hash(1) })
  })

  test('behavior: a released transaction is dropped, and its nonce is free', async () => {
    const alias = hash(99)
    await a.reserve(sent(1, { alias, nonce: 0 }))
    await b.change(hash(1), { event: 'expired' })
    expect(await a.find(alias)).toBeUndefined()
    expect(await a.counts(from)).toEqual({ mined: 0, next: 0 })
    expect(await b.reserve(sent(2, { alias, nonce: 0 }))).toEqual({ outcome: 'reserved', nonce: 0 })
  })

  test('behavior: a released nonce is assigned again, a pending or mined one never', async () => {
    for (const nonce of [0, 1, 2]) await a.reserve(sent(nonce, { nonce }))
    await b.change(hash(1), { event: 'expired' })
    expect(await a.counts(from)).toEqual({ mined: 0, next: 1 })
    await finish(a, hash(0))
    await finish(a, hash(2))
    // 2 is mined after a gap.
    expect(await b.counts(from)).toEqual({ mined: 1, next: 1 })
    expect(await b.reserve(sent(4, { nonce: 2 }))).toEqual({ outcome: 'low', next: 1 })
    expect(await b.reserve(sent(4, { nonce: 3 }))).toEqual({ outcome: 'high', next: 1 })
    expect(await a.reserve(sent(4))).toEqual({ outcome: 'reserved', nonce: 1 })
    expect(await b.reserve(sent(5))).toEqual({ outcome: 'reserved', nonce: 3 })
    await finish(a, hash(4))
    expect(await b.counts(from)).toEqual({ mined: 3, next: 4 })
  })

  test('behavior: a transaction is found by id and by alias, also when it is mined', async () => {
    const alias = hash(99)
    await a.reserve(sent(1, { alias }))
    await finish(a, hash(1))
    // The signed bytes are kept until it is final.
    const { hex: _, ...rest } = sent(1)
    const expected = { ...rest, alias, nonce: 0, state: 'final', broadcasts: 1, block: block(1) }
    expect(await b.find(hash(1))).toEqual(expected)
    expect(await b.find(alias)).toEqual(expected)
    expect(await b.find(hash(7))).toBeUndefined()
  })

  test('behavior: pending ids, ordered by expiration', async () => {
    for (const n of [3, 1, 2]) await a.reserve(sent(n, n === 2 ? { from: other } : {}))
    expect(await b.unfinished({ limit: 10 })).toEqual([hash(1), hash(2), hash(3)])
    expect(await b.unfinished({ limit: 1 })).toEqual([hash(1)])
    expect(await b.unfinished({ from, limit: 10 })).toEqual([hash(1), hash(3)])
    expect(await b.unfinished({ expiredAt: 1_002, limit: 10 })).toEqual([hash(1)])
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
    await b.change(hash(1), { event: 'expired' })
    expect((await b.contracts(next)).contracts).toEqual([{ predicted }])
    // The answer to its broadcast arrived late.
    await a.addContract(hash(1))
    await a.reserve(sent(2))
    await a.addContract(hash(2))
    expect((await b.contracts(0)).contracts.at(-1)).toEqual(createdContract(hash(2), from, 0))
    await finish(a, hash(2))
    await a.change(hash(2), { event: 'expired' })
    expect((await b.contracts(0)).contracts.at(-1)).toEqual(createdContract(hash(2), from, 0))
  })

  test('behavior: a rejected creation leaves nothing', async () => {
    const { next } = await b.contracts(0)
    await a.reserve(sent(1))
    await a.change(hash(1), { event: 'expired' })
    expect(await b.contracts(next)).toEqual({ contracts: [], next })
  })

  const refused: SentEvent = {
    event: 'refused',
    why: { state: 'refused', nodes: [], reason: 'no' },
  }

  test('behavior: a refusal frees a transaction only if no other broadcast of it was started', async () => {
    await a.reserve(sent(1))
    await b.change(hash(1), { event: 'broadcast' })
    expect(await a.change(hash(1), refused)).toMatchObject({ changed: false, sent: { nonce: 0 } })
    expect(await a.counts(from)).toEqual({ mined: 0, next: 1 })
    await a.reserve(sent(2))
    expect(await b.change(hash(2), refused)).toEqual({ changed: true, sent: undefined })
    expect(await a.change(hash(2), { event: 'broadcast' })).toEqual({
      changed: false,
      sent: undefined,
    })
    expect(await a.counts(from)).toEqual({ mined: 0, next: 1 })
  })

  test('behavior: of a refusal and a broadcast at the same time, one comes first', async () => {
    for (let n = 1; n <= 20; n++) {
      await a.reserve(sent(n))
      const [refusal, broadcast] = await Promise.all([
        a.change(hash(n), refused),
        b.change(hash(n), { event: 'broadcast' }),
      ])
      // Never both: bytes that are on their way again, and a nonce that is free.
      expect(refusal.changed).toBe(!broadcast.changed)
    }
  })

  test('behavior: mined in a block, pending when it is removed, with its bytes; final when it is solidified', async () => {
    await a.reserve(sent(1))
    await a.reserve(sent(2))
    await a.change(hash(1), { event: 'seen', block: block(5) })
    expect(await b.counts(from)).toEqual({ mined: 1, next: 2 })
    expect(await b.mined({ upTo: 4, limit: 10 })).toEqual([])
    expect(await b.mined({ upTo: 5, limit: 10 })).toEqual([hash(1)])
    expect(await a.reserve(sent(3, { nonce: 0 }))).toEqual({ outcome: 'low', next: 2 })
    for (const event of [refused, { event: 'expired' as const }, { event: 'broadcast' as const }])
      expect(await a.change(hash(1), event)).toMatchObject({ changed: false })
    // Another block than the one that has it.
    await b.change(hash(1), { event: 'removed', block: block(6) })
    expect(await b.find(hash(1))).toMatchObject({ state: 'mined', block: block(5) })
    await b.change(hash(1), { event: 'removed', block: block(5) })
    expect(await a.find(hash(1))).toEqual({ ...sent(1), nonce: 0, state: 'pending', broadcasts: 1 })
    expect(await a.counts(from)).toEqual({ mined: 0, next: 2 })
    expect(await a.mined({ upTo: 9, limit: 10 })).toEqual([])
    expect(await a.reserve(sent(3, { nonce: 0 }))).toEqual({ outcome: 'taken', next: 2 })
    await a.change(hash(1), { event: 'seen', block: block(6) })
    await a.change(hash(1), { event: 'seen', block: block(7) })
    await b.change(hash(1), { event: 'final', block: block(7) })
    await b.change(hash(1), { event: 'removed', block: block(7) })
    const { hex: _, ...rest } = sent(1)
    const final = { ...rest, nonce: 0, state: 'final', broadcasts: 1, block: block(7) }
    expect(await a.find(hash(1))).toEqual(final)
    expect(await a.counts(from)).toEqual({ mined: 1, next: 2 })
    expect(await a.unfinished({ limit: 10 })).toEqual([hash(2)])
  })

  test('behavior: an id that ended is sent again', async () => {
    const alias = hash(99)
    await a.reserve(sent(1, { alias }))
    await a.change(hash(1), refused)
    expect(await b.ending(alias)).toMatchObject({ state: 'refused' })
    expect(await b.reserve(sent(1, { alias }))).toEqual({ outcome: 'reserved', nonce: 0 })
    expect(await a.ending(alias)).toBeUndefined()
    expect(await a.ending(hash(1))).toBeUndefined()
    expect(await a.find(alias)).toMatchObject({ state: 'pending', broadcasts: 1 })
  })
}
