import type { Hash } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'

import { connectLosing, type LosingRedis } from '../../test/support/losingRedis.ts'
import { explainSkip, redisMissing, someRedis } from '../../test/support/redis.ts'
import { StoreUnavailableError } from '../lib/redis.ts'
import { createdContract } from './contracts.ts'
import { createRedisSentStore } from './redisSentStore.ts'
import type { SentEvent } from './sentStore.ts'
import { createSharedSentStore } from './sharedSentStore.ts'

const from = `0x${'11'.repeat(20)}` as const
const id = `0x${'22'.repeat(32)}` as const
const alias = `0x${'33'.repeat(32)}` as const
const sent = { alias, expiration: 60_000, from, id }

const idOf = (digit: string) => `0x${digit.repeat(64)}` as const
const other = (digit: string) => ({ expiration: 60_000, from, id: idOf(digit) })

const refused: SentEvent = {
  event: 'refused',
  why: { state: 'refused', nodes: [], reason: 'no' },
}

explainSkip(redisMissing)

describe.skipIf(redisMissing)('createSharedSentStore', () => {
  let server: Awaited<ReturnType<typeof someRedis>>
  beforeAll(async () => {
    server = await someRedis()
  })
  afterAll(() => server?.close())

  /** Replicas that share a Redis. They look at its run when they write, or when a test says so. */
  async function setup() {
    const redis = await connectLosing(server.url)
    onTestFinished(() => redis.close())
    const state = {
      error: undefined as Error | undefined,
      settled: async (_age: number): Promise<void> => {},
    }
    const looks: ((isConnected?: boolean) => Promise<void>)[] = []
    const replica = (link: LosingRedis = redis) =>
      createSharedSentStore({
        redis: {
          ...link,
          onStatus: () => () => {},
          run: (commands) => (state.error ? Promise.reject(state.error) : link.run(commands)),
          script(lua) {
            const call = link.script(lua)
            return (...given) => (state.error ? Promise.reject(state.error) : call(...given))
          },
        },
        wait: (age) => state.settled(age),
        watch(look) {
          looks.push(look)
          return () => {}
        },
      })
    /** A replica that has ended since: nobody knows what it wrote. */
    const ended = createRedisSentStore({ redis })
    /** Redis loses the last writes, and some replicas notice it in order. */
    async function lose(count: number, noticed = looks): Promise<void> {
      await redis.lose(count)
      for (const look of noticed) await look()
    }
    return { ended, looks, lose, redis, replica, state }
  }

  test('default: answers are those of the store', async () => {
    const store = (await setup()).replica()
    expect(await store.reserve(sent)).toEqual({ outcome: 'reserved', nonce: 0 })
    expect(await store.counts(from)).toEqual({ mined: 0, next: 1 })
    expect(await store.find(alias)).toMatchObject({ id, nonce: 0 })
    expect(await store.unfinished({ limit: 10 })).toEqual([id])
  })

  test('behavior: while the store is unreachable, the transactions of this process are found', async () => {
    const { replica, state } = await setup()
    const store = replica()
    await store.reserve(sent)
    state.error = new StoreUnavailableError(new Error('unreachable'))
    expect(await store.find(alias)).toMatchObject({ id, nonce: 0 })
    expect(await store.find(id)).toMatchObject({ id, nonce: 0 })
    // What is signed already must not look as if it was not.
    await expect(store.unfinished({ from, limit: 10 })).rejects.toMatchObject({ code: -32603 })
  })

  test('error: sending, counts and unknown hashes while the store is unreachable', async () => {
    const { replica, state } = await setup()
    const store = replica()
    state.error = new StoreUnavailableError(new Error('unreachable'))
    await expect(store.counts(from)).rejects.toMatchObject({ code: -32603 })
    await expect(store.find(idOf('5'))).rejects.toMatchObject({ code: -32603 })
    await expect(store.reserve(sent)).rejects.toMatchObject({ code: -32603 })
  })

  test('error: any other failure is passed on', async () => {
    const { replica, state } = await setup()
    const store = replica()
    await store.reserve(sent)
    state.error = new Error('a fault')
    await expect(store.counts(from)).rejects.toThrow('a fault')
    await expect(store.find(id)).rejects.toThrow('a fault')
  })

  test('behavior: a transaction that Redis has lost is recorded again as it was; one that ended is not', async () => {
    const { ended, lose, replica } = await setup()
    const store = replica()
    await store.reserve({ ...sent, hex: 'aa' })
    await lose(1)
    expect(await ended.find(alias)).toMatchObject({ id, hex: 'aa', nonce: 0, broadcasts: 1 })
    expect(await ended.reserve({ ...sent, id: idOf('6') })).toEqual({ outcome: 'known', id })
    await ended.change(id, { event: 'expired' })
    await lose(0)
    expect(await store.find(alias)).toBeUndefined()
  })

  test('behavior: that a transaction was broadcast again is not lost, so no refusal of an earlier broadcast frees it', async () => {
    const { lose, replica } = await setup()
    const [a, b] = [replica(), replica()]
    await a.reserve(sent)
    await b.change(id, { event: 'broadcast' })
    await lose(1)
    expect(await a.find(alias)).toMatchObject({ broadcasts: 2 })
    expect(await a.change(id, refused)).toMatchObject({ changed: false })
  })

  test('behavior: a write waits until all replicas have restored what they know', async () => {
    const { lose, looks, replica, state } = await setup()
    const [a, b] = [replica(), replica()]
    await a.reserve(sent)
    await b.change(id, { event: 'broadcast' })
    let settle = () => {}
    const settled = new Promise<void>((resolve) => (settle = resolve))
    state.settled = () => settled
    await lose(1, looks.slice(0, 1))
    const refusal = a.change(id, refused)
    const reservation = a.reserve({ ...sent, id: idOf('6') })
    await looks[1]?.()
    settle()
    expect(await refusal).toMatchObject({ changed: false, sent: { broadcasts: 2 } })
    expect(await reservation).toEqual({ outcome: 'known', id })
  })

  test('behavior: the nonces of transactions that Redis has lost are not given to others', async () => {
    const { ended, lose, replica } = await setup()
    const store = replica()
    await store.reserve(other('a'))
    await store.reserve(other('b'))
    await lose(2)
    expect(await store.reserve({ ...other('c'), nonce: 0 })).toEqual({ outcome: 'taken', next: 2 })
    expect(await store.reserve(other('d'))).toEqual({ outcome: 'reserved', nonce: 2 })
    // Those that ended give their nonces back.
    await ended.change(idOf('a'), { event: 'expired' })
    expect(await store.reserve({ ...other('e'), nonce: 0 })).toEqual({
      outcome: 'reserved',
      nonce: 0,
    })
  })

  test('error: a transaction that is recorded in another run of Redis than was looked at', async () => {
    const { lose, replica } = await setup()
    const store = replica()
    await store.reserve(other('a'))
    await lose(1, [])
    await expect(store.reserve(other('b'))).rejects.toMatchObject({ code: -32603 })
    // A change is tried again when this process has restored what it knows.
    expect(await store.change(idOf('a'), { event: 'broadcast' })).toMatchObject({ changed: true })
    expect(await store.reserve(other('b'))).toEqual({ outcome: 'reserved', nonce: 1 })
  })

  test('behavior: what was recorded before a crash whose answer comes after it is restored', async () => {
    const { ended, looks, lose, redis, replica } = await setup()
    let release = () => {}
    let arrived = () => {}
    const isThere = new Promise<void>((resolve) => (arrived = resolve))
    const isLate = new Promise<void>((resolve) => (release = resolve))
    const store = replica({
      ...redis,
      script(lua) {
        const call = redis.script(lua)
        return async (...given) => {
          const answer = await call(...given)
          if (!Array.isArray(answer) || answer[0] !== 'reserved') return answer
          arrived()
          await isLate
          return answer
        }
      },
    })
    const reservation = store.reserve(sent)
    await isThere
    await lose(1, looks)
    release()
    expect(await reservation).toEqual({ outcome: 'reserved', nonce: 0 })
    expect(await ended.find(alias)).toMatchObject({ id, nonce: 0 })
  })

  test('behavior: an Ethereum transaction that another replica has signed anew is found', async () => {
    const { ended, replica } = await setup()
    const store = replica()
    await store.reserve(sent)
    await store.change(id, { event: 'broadcast' })
    await ended.change(id, { event: 'expired' })
    await ended.reserve({ ...sent, id: idOf('4') })
    expect(await store.find(alias)).toMatchObject({ id: idOf('4') })
  })

  test.each([
    ['the first one is restored first', false],
    ['the second one is restored first', true],
  ])(
    'behavior: of two for one Ethereum transaction, of which the first one was refused, the second one stays: %s',
    async (_, isTurned) => {
      const { ended, looks, lose, replica } = await setup()
      const [a, b] = [replica(), replica()]
      await a.reserve({ ...sent, id: idOf('4') })
      // It has read the first one while it was pending.
      await b.find(alias)
      await a.change(idOf('4'), refused)
      await a.reserve(sent)
      await lose(3, isTurned ? looks : looks.toReversed())
      expect(await ended.find(alias)).toMatchObject({ id, nonce: 0 })
      expect(await ended.find(idOf('4'))).toBeUndefined()
      expect(await ended.ending(idOf('4'))).toMatchObject({ state: 'refused', reason: 'no' })
      expect(await ended.unfinished({ limit: 10 })).toEqual([id])
    },
  )

  test('behavior: where Redis has lost only that the first one was refused, the second one stays', async () => {
    const { ended, lose, replica } = await setup()
    const [a, b] = [replica(), replica()]
    await a.reserve({ ...sent, id: idOf('4') })
    await a.change(idOf('4'), refused)
    await b.reserve(sent)
    await lose(2)
    expect(await ended.find(alias)).toMatchObject({ id, nonce: 0 })
    expect(await ended.unfinished({ limit: 10 })).toEqual([id])
  })

  test('behavior: what another replica has restored is restored after the next crash too', async () => {
    const { ended, looks, lose, replica } = await setup()
    const [a, b] = [replica(), replica()]
    await a.reserve(sent)
    await b.find(id)
    await lose(1, looks.toReversed())
    await lose(1)
    expect(await ended.find(alias)).toMatchObject({ id, nonce: 0 })
  })

  test('behavior: replicas restore in any order, each transaction with its own nonce', async () => {
    const { ended, looks, lose, replica } = await setup()
    const [a, b] = [replica(), replica()]
    await a.reserve(sent)
    await b.reserve(other('7'))
    await lose(2, looks.toReversed())
    expect(await ended.find(idOf('7'))).toMatchObject({ nonce: 1 })
    expect(await ended.find(id)).toMatchObject({ nonce: 0 })
    expect(await ended.counts(from)).toEqual({ mined: 0, next: 2 })
  })

  test('behavior: states and final nonces are restored', async () => {
    const { ended, lose, replica } = await setup()
    const store = replica()
    const block = { number: 5, hash: idOf('9') }
    for (const digit of ['a', 'b', 'c']) await store.reserve(other(digit))
    await store.change(idOf('a'), { event: 'final', block })
    await store.change(idOf('b'), { event: 'seen', block })
    await lose(5)
    expect(await ended.counts(from)).toEqual({ mined: 2, next: 3 })
    expect(await ended.find(idOf('a'))).toMatchObject({ state: 'final', block, nonce: 0 })
    expect(await ended.mined({ upTo: 5, limit: 10 })).toEqual([idOf('b')])
    expect(await ended.unfinished({ limit: 10 })).toEqual([idOf('b'), idOf('c')])
  })

  test('behavior: contracts are restored', async () => {
    const { ended, lose, replica } = await setup()
    const store = replica()
    await store.reserve({ ...sent, creates: true })
    await store.addContract(id)
    await store.reserve({ ...other('a'), creates: true })
    await store.change(idOf('a'), { event: 'expired' })
    await lose(4)
    expect(await ended.contracts(0)).toMatchObject({ contracts: [createdContract(id, from, 0)] })
  })

  test('behavior: a record that lacks the nonces below does not look like a whole one', async () => {
    const { ended, lose, replica } = await setup()
    await ended.reserve(other('7'))
    const store = replica()
    expect(await store.reserve(sent)).toEqual({ outcome: 'reserved', nonce: 1 })
    await lose(2)
    expect(await store.counts(from)).toEqual({ mined: 0, next: 0 })
    expect(await store.find(alias)).toMatchObject({ nonce: 1 })
    // The nonce of the one that is lost for good is free.
    expect(await store.reserve(other('8'))).toEqual({ outcome: 'reserved', nonce: 0 })
    expect(await store.counts(from)).toEqual({ mined: 0, next: 2 })
  })

  test('behavior: a replica that starts after another server has taken over waits as the others do', async () => {
    const { lose, replica, state } = await setup()
    const ages: number[] = []
    state.settled = async (age) => void ages.push(age)
    await replica().settled()
    await lose(0, [])
    await replica().settled()
    // The server runs for long, and this process did not know the one before.
    expect(ages[0]).toBeGreaterThanOrEqual(1_000_000)
    expect(ages[1]).toBeLessThan(60_000)
  })

  test('behavior: waits three seconds from the beginning of a run', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    let age = 1_000
    let run = 'a'
    const redis = {
      assertCopied: async () => {},
      key: (name: string) => name,
      onStatus: () => () => {},
      run: async () => undefined as never,
      script: () => async () => [run, age],
    }
    const store = createSharedSentStore({ redis })
    onTestFinished(() => store.close())
    let known: string | undefined
    const settled = () => void store.settled().then((found) => (known = found))
    settled()
    await vi.advanceTimersByTimeAsync(1_999)
    expect(known).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(known).toBe('a')
    // It looks every second.
    run = 'b'
    age = 0
    await vi.advanceTimersByTimeAsync(1_000)
    settled()
    await vi.advanceTimersByTimeAsync(2_999)
    expect(known).toBe('a')
    await vi.advanceTimersByTimeAsync(1)
    expect(known).toBe('b')
  })

  test('behavior: where Redis does not show its run, every connection restores', async () => {
    const { ended, looks, lose, redis, replica } = await setup()
    const script: LosingRedis['script'] = (lua) =>
      redis.script(lua.replace("pcall('INFO', 'server')", "pcall('NONE')"))
    const store = replica({ ...redis, script })
    await store.reserve(sent)
    await lose(1, [])
    await looks[0]?.(true)
    expect(await ended.find(alias)).toMatchObject({ id, nonce: 0 })
  })

  test('behavior: what is restored too late takes nothing from what was recorded in the new run', async () => {
    const { ended, looks, lose, replica } = await setup()
    const [late, other] = [replica(), replica()]
    await late.reserve(sent)
    await lose(1, looks.slice(1))
    await other.reserve({ ...sent, id: idOf('4') })
    await looks[0]?.()
    expect(await ended.find(alias)).toMatchObject({ id: idOf('4'), nonce: 0 })
    expect(await ended.unfinished({ limit: 10 })).toEqual([idOf('4')])
  })

  test('behavior: kept transactions are bounded in bytes, the newest stay', async () => {
    const { replica, state } = await setup()
    const store = replica()
    const hashOf = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`
    const hex = 'aa'.repeat(256 * 1024)
    for (let n = 0; n < 100; n++)
      await store.reserve({ ...sent, alias: hashOf(1_000 + n), hex, id: hashOf(n) })
    state.error = new StoreUnavailableError(new Error('unreachable'))
    expect(await store.find(hashOf(99))).toBeDefined()
    await expect(store.find(hashOf(0))).rejects.toMatchObject({ code: -32603 })
  })
})
