import type { Address, Hash } from 'viem'
import { expect, test } from 'vitest'

import { type RedisLink, StoreUnavailableError } from '../lib/redis.ts'
import { withLastKnown } from './lastKnown.ts'
import { createMemorySentStore } from './memorySentStore.ts'
import type { SentStore } from './sentStore.ts'

const from = `0x${'11'.repeat(20)}` as const
const id = `0x${'22'.repeat(32)}` as const
const alias = `0x${'33'.repeat(32)}` as const
const sent = { alias, expiration: 60_000, from, id }

const noStatus = () => () => {}

/** A store whose operations fail while it is down. */
function setup() {
  const state = {
    isDown: false,
    error: new StoreUnavailableError(new Error('unreachable')) as Error,
  }
  const memory = createMemorySentStore()
  const unlessDown =
    <args extends unknown[], answer>(run: (...args: args) => Promise<answer>) =>
    (...args: args): Promise<answer> =>
      state.isDown ? Promise.reject(state.error) : run(...args)
  const store = withLastKnown(
    {
      ...memory,
      counts: unlessDown((from: Address) => memory.counts(from)),
      find: unlessDown((hash: Hash) => memory.find(hash)),
      unfinished: unlessDown((options: Parameters<SentStore['unfinished']>[0]) =>
        memory.unfinished(options),
      ),
      reserve: unlessDown((given: Parameters<SentStore['reserve']>[0]) => memory.reserve(given)),
    },
    noStatus,
  )
  return { state, store }
}

/** A store that is replaced by one that has `lost` everything, when a test sets it. */
function setupLoss(onStatus: RedisLink['onStatus'] = noStatus) {
  const lost = createMemorySentStore()
  const state = { store: createMemorySentStore() }
  const store = withLastKnown(
    {
      ...state.store,
      counts: (from) => state.store.counts(from),
      reserve: (given) => state.store.reserve(given),
      change: (...call) => state.store.change(...call),
      find: (hash) => state.store.find(hash),
      ending: (hash) => state.store.ending(hash),
    },
    onStatus,
  )
  return { lost, state, store }
}

test('default: answers are those of the store', async () => {
  const { store } = setup()
  expect(await store.reserve(sent)).toEqual({ outcome: 'reserved', nonce: 0 })
  expect(await store.counts(from)).toEqual({ mined: 0, next: 1 })
  expect(await store.find(alias)).toMatchObject({ id, nonce: 0 })
  expect(await store.unfinished({ limit: 10 })).toEqual([id])
})

test('behavior: while the store is unreachable, the transactions of this process are found', async () => {
  const { state, store } = setup()
  await store.reserve(sent)
  state.isDown = true
  expect(await store.find(alias)).toMatchObject({ id, nonce: 0 })
  expect(await store.find(id)).toMatchObject({ id, nonce: 0 })
  // What is signed already must not look as if it was not.
  await expect(store.unfinished({ from, limit: 10 })).rejects.toMatchObject({ code: -32603 })
})

test('error: sending, counts and unknown hashes while the store is unreachable', async () => {
  const { state, store } = setup()
  state.isDown = true
  await expect(store.counts(from)).rejects.toMatchObject({ code: -32603 })
  await expect(store.find(`0x${'55'.repeat(32)}`)).rejects.toMatchObject({ code: -32603 })
  await expect(store.reserve(sent)).rejects.toMatchObject({ code: -32603 })
})

test('error: any other failure is passed on', async () => {
  const { state, store } = setup()
  Object.assign(state, { error: new Error('a fault'), isDown: true })
  await expect(store.counts(from)).rejects.toThrow('a fault')
  await expect(store.find(id)).rejects.toThrow('a fault')
})

test('behavior: a transaction that Redis has lost is recorded again; one that ended is not', async () => {
  const { lost, state, store } = setupLoss()
  const expiration = Date.now() + 60_000
  await store.reserve({ ...sent, expiration, hex: 'aa' })
  // A failover to a server that does not have it.
  state.store = lost
  expect(await store.find(alias)).toMatchObject({ id, hex: 'aa', nonce: 0, broadcasts: 2 })
  expect(await lost.reserve({ ...sent, id: `0x${'66'.repeat(32)}`, expiration })).toEqual({
    outcome: 'known',
    id,
  })
  await lost.change(id, { event: 'expired' })
  expect(await store.find(alias)).toBeUndefined()
})

test('behavior: that a transaction was broadcast again is not lost, so no refusal of an earlier broadcast frees it', async () => {
  const { lost, state, store } = setupLoss()
  await store.reserve(sent)
  await lost.reserve(sent)
  await store.change(id, { event: 'broadcast' })
  state.store = lost
  expect(await store.find(alias)).toMatchObject({ broadcasts: 2 })
  const why = { state: 'refused' as const, nodes: [], reason: 'no' }
  expect(await store.change(id, { event: 'refused', why })).toMatchObject({ changed: false })
})

test('behavior: the nonces of transactions that Redis has lost are not given to others', async () => {
  const { lost, state, store } = setupLoss()
  const expiration = Date.now() + 60_000
  const other = (digit: string) => ({ expiration, from, id: `0x${digit.repeat(64)}` as const })
  await store.reserve(other('a'))
  await store.reserve(other('b'))
  state.store = lost
  expect(await store.reserve({ ...other('c'), nonce: 0 })).toEqual({ outcome: 'taken', next: 1 })
  expect(await store.reserve(other('d'))).toEqual({ outcome: 'reserved', nonce: 2 })
  expect(await lost.find(other('a').id)).toMatchObject({ nonce: 0, broadcasts: 2 })
  expect(await lost.find(other('b').id)).toMatchObject({ nonce: 1, broadcasts: 2 })
  // Those that ended give their nonces back.
  await lost.change(other('a').id, { event: 'expired' })
  expect(await store.reserve({ ...other('e'), nonce: 0 })).toEqual({
    outcome: 'reserved',
    nonce: 0,
  })
})

test('behavior: an Ethereum transaction that another replica has signed anew is found', async () => {
  const { state, store } = setupLoss()
  const other = `0x${'44'.repeat(32)}` as const
  await store.reserve(sent)
  await store.change(id, { event: 'broadcast' })
  await state.store.change(id, { event: 'expired' })
  await state.store.reserve({ ...sent, id: other })
  expect(await store.find(alias)).toMatchObject({ id: other })
})

test('behavior: an Ethereum transaction that was signed anew is restored where Redis has lost that the first one was refused', async () => {
  const { lost, state, store } = setupLoss()
  const first = `0x${'44'.repeat(32)}` as const
  await state.store.reserve({ ...sent, id: first })
  await lost.reserve({ ...sent, id: first })
  const why = { state: 'refused' as const, nodes: [], reason: 'no' }
  await state.store.change(first, { event: 'refused', why })
  await store.reserve(sent)
  state.store = lost
  expect(await store.find(alias)).toMatchObject({ id, nonce: 0 })
  expect(await lost.find(alias)).toMatchObject({ id })
})

test('behavior: what another replica has restored is restored after the next crash too', async () => {
  const { lost, state, store } = setupLoss()
  await store.reserve(sent)
  let looks = 0
  state.store = {
    ...lost,
    async find(hash) {
      if (++looks === 2) await lost.reserve(sent)
      return lost.find(hash)
    },
  }
  await store.find(alias)
  state.store = createMemorySentStore()
  expect(await store.find(alias)).toMatchObject({ id, nonce: 0 })
})

test('behavior: of replicas that restore at the same time, the one with the lower nonce may come later', async () => {
  const notify: (() => void)[] = []
  const lost = createMemorySentStore()
  const state = { store: createMemorySentStore() }
  const shared: SentStore = {
    ...state.store,
    reserve: (given) => state.store.reserve(given),
    change: (...call) => state.store.change(...call),
    find: (hash) => state.store.find(hash),
    ending: (hash) => state.store.ending(hash),
  }
  const [a, b] = [1, 2].map(() =>
    withLastKnown(shared, (listener) => {
      notify.push(() => listener('up', undefined))
      return () => {}
    }),
  ) as [SentStore, SentStore]
  const other = { ...sent, id: `0x${'77'.repeat(32)}`, alias: `0x${'88'.repeat(32)}` } as const
  await a.reserve(sent)
  await b.reserve(other)
  state.store = lost
  for (const each of notify.toReversed()) each()
  await expect.poll(() => lost.find(other.id), { timeout: 5_000 }).toMatchObject({ nonce: 1 })
  expect(await lost.find(id)).toMatchObject({ nonce: 0 })
})

test('behavior: one that gave its nonce back, was recorded again and is lost then, is restored', async () => {
  const { lost, state, store } = setupLoss()
  await store.reserve(sent)
  state.store = lost
  const other = { expiration: 60_000, from, id: `0x${'66'.repeat(32)}` } as const
  // Its nonce is that of the first one, which this process knows.
  expect(await store.reserve(other)).toEqual({ outcome: 'reserved', nonce: 1 })
  expect(await lost.find(id)).toMatchObject({ nonce: 0 })
  // The second crash loses that it was recorded again.
  state.store = createMemorySentStore()
  await state.store.reserve(sent)
  await state.store.reserve(other)
  const reason = 'Redis had lost another transaction with its nonce'
  await state.store.change(other.id, {
    event: 'refused',
    why: { state: 'refused', nodes: [], reason },
  })
  expect(await state.store.ending(other.id)).toMatchObject({ reason })
  expect(await store.find(other.id)).toMatchObject({ nonce: 1, state: 'pending' })
})

test('behavior: what was sent after one that is lost for good has the nonce of that one', async () => {
  const { lost, state, store } = setupLoss()
  const other = (digit: string) => ({
    expiration: 60_000,
    from,
    id: `0x${digit.repeat(64)}` as const,
  })
  await lost.reserve(other('a'))
  await state.store.reserve(other('a'))
  // Another replica, which has ended, sent it.
  await state.store.reserve(other('b'))
  await store.reserve(sent)
  state.store = lost
  expect(await store.find(alias)).toMatchObject({ id, nonce: 1 })
})

test('behavior: a record that lacks the nonces below is not made to look like a whole one', async () => {
  let notify: (status: 'up') => void = () => {}
  const { lost, state, store } = setupLoss((listener) => {
    notify = (status) => listener(status, undefined)
    return () => {}
  })
  // Another replica, which has ended, sent the transaction before.
  await state.store.reserve({ ...sent, id: `0x${'77'.repeat(32)}`, alias: `0x${'88'.repeat(32)}` })
  expect(await store.reserve(sent)).toEqual({ outcome: 'reserved', nonce: 1 })
  state.store = lost
  notify('up')
  expect(await store.find(alias)).toBeUndefined()
  expect(await store.counts(from)).toEqual({ mined: 0, next: 0 })
  // When it is there again, so is the one after it.
  await lost.reserve({ ...sent, id: `0x${'99'.repeat(32)}`, alias: `0x${'aa'.repeat(32)}` })
  notify('up')
  await expect.poll(() => lost.find(alias)).toMatchObject({ id, nonce: 1 })
})

test('behavior: kept transactions are bounded in bytes, the newest stay', async () => {
  const { state, store } = setup()
  const idOf = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`
  const hex = 'aa'.repeat(256 * 1024)
  for (let n = 0; n < 100; n++)
    await store.reserve({ ...sent, alias: idOf(1_000 + n), hex, id: idOf(n) })
  state.isDown = true
  expect(await store.find(idOf(99))).toBeDefined()
  await expect(store.find(idOf(0))).rejects.toMatchObject({ code: -32603 })
})
