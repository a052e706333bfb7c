import { expect, onTestFinished, test, vi } from 'vitest'

import { UpstreamError } from '../lib/errors.ts'
import type { NativeClient } from '../native/client.ts'
import { NodeUnreachableError } from '../native/errors.ts'
import type { BroadcastResult } from '../native/wire/accountTypes.ts'
import { createMemorySentStore } from './memorySentStore.ts'
import type { SentStore } from './sentStore.ts'
import type { SendRequest } from './signing.ts'
import { createSubmission } from './submission.ts'

const from = `0x${'a1'.repeat(20)}` as const
const alias = `0x${'f0'.repeat(32)}` as const
const request: SendRequest = { from, value: 1n, data: '0x', nonce: 0 }
const owner = async () => from
const EXPIRATION = 60_000

const ACCEPTED = { result: true }
const REFUSED = { result: false, code: 'CONTRACT_VALIDATE_ERROR', message: 'no' }

/** Replicas of one store, in front of a node that accepts what it gets, unless a test says otherwise. */
function setup() {
  const store = createMemorySentStore()
  const broadcasts: string[] = []
  const state = {
    time: 0,
    answer: async (_hex: string): Promise<BroadcastResult> => ACCEPTED,
    isKnown: false,
    isLost: false,
    onSign: () => {},
  }
  let count = 0
  const replica = (replicaStore: SentStore = store) =>
    createSubmission({
      assertKept: async () => {
        if (state.isLost) throw new Error('Redis may have lost records')
      },
      chain: {
        latest: () => ({ timestamp: state.time }) as never,
        solid: () => ({ number: 7, hash: '0x07', timestamp: state.time - 60_000 }) as never,
      },
      contracts: { refresh: async () => {} },
      head: { blockWith: () => undefined, pollNow() {} },
      native: {
        wallet: {
          broadcastHex({ transaction }: { transaction: string }) {
            broadcasts.push(transaction)
            return state.answer(transaction)
          },
          getTransactionById: async () => (state.isKnown ? {} : undefined),
        },
      } as unknown as NativeClient,
      onError() {},
      onReplaced() {},
      onSent() {},
      async sign() {
        state.onSign()
        const id = `0x${(++count).toString(16).padStart(64, '0')}` as const
        return {
          id,
          hex: `aa0${count}`,
          transaction: { raw_data: { expiration: EXPIRATION } } as never,
        }
      },
      sleep: async () => {},
      store: replicaStore,
    })
  return { broadcasts, replica, state, store, submission: replica() }
}

const unconfirmed = { code: -32003, message: expect.stringMatching(/^unconfirmed: /) as string }

test('default: the same Ethereum transaction again is the same bytes again', async () => {
  const { broadcasts, store, submission } = setup()
  await submission.submit(request, alias)
  await submission.submit(request, alias)
  expect(broadcasts).toEqual(['aa01', 'aa01'])
  expect(await store.find(alias)).toMatchObject({ broadcasts: 2, after: { number: 7 } })
})

test('error: a transaction that has expired, and may be in a block, is not signed anew', async () => {
  const { broadcasts, state, submission } = setup()
  await submission.submit(request, alias)
  state.time = EXPIRATION
  await expect(submission.submit(request, alias)).rejects.toMatchObject(unconfirmed)
  expect(broadcasts).toEqual(['aa01'])
})

test('behavior: of one nonce every replica signs one transaction for its sender', async () => {
  const { broadcasts, replica, store, submission } = setup()
  const { nonce: _, ...any } = request
  const first = await submission.sign(any)
  expect(first).toMatchObject({ hex: 'aa01', nonce: 0 })
  for (const again of [any, request])
    expect(await replica().sign(again)).toMatchObject({ hex: 'aa01', nonce: 0 })
  for (const other of [any, request])
    await expect(replica().sign({ ...other, value: 2n })).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^replacement transaction underpriced: nonce 0 /) as string,
    })
  await expect(replica().submit({ ...request, value: 2n })).rejects.toMatchObject({ code: -32000 })
  expect(await store.find(first.id)).toMatchObject({ state: 'pending', broadcasts: 0 })

  const signed = { id: first.id, hex: first.hex, transaction: {} as never }
  expect(await replica().submitSigned(signed, owner)).toBe(first.id)
  expect(broadcasts).toEqual(['aa01'])
  expect(await submission.sign(request)).toMatchObject({ hex: 'aa01' })
  // Without a nonce the next transaction is wanted.
  expect(await submission.sign(any)).toMatchObject({ nonce: 1 })
})

test('behavior: a transaction that was released is signed anew', async () => {
  const { broadcasts, store, submission } = setup()
  await submission.submit(request, alias)
  const sent = await store.find(alias)
  await store.change(sent?.id ?? '0x', { event: 'expired' })
  await submission.submit(request, alias)
  expect(broadcasts).toEqual(['aa01', 'aa02'])
})

test('behavior: a refusal of the only broadcast frees the nonce, and the same bytes are signed anew', async () => {
  const { broadcasts, state, store, submission } = setup()
  state.answer = async () => REFUSED
  await expect(submission.submit(request, alias)).rejects.toMatchObject({
    code: -32000,
    message: 'refused: no',
  })
  expect(await store.counts(from)).toEqual({ mined: 0, next: 0 })
  state.answer = async () => ACCEPTED
  await submission.submit(request, alias)
  expect(broadcasts).toEqual(['aa01', 'aa02'])
})

test('error: a refusal never frees what another replica has broadcast', async () => {
  const { broadcasts, replica, state, store, submission } = setup()
  const other = replica()
  let refuse = () => {}
  state.answer = () => new Promise((resolve) => (refuse = () => resolve(REFUSED)))
  const first = submission.submit(request, alias)
  await expect.poll(() => broadcasts.length).toBe(1)
  state.answer = async () => ACCEPTED
  await other.submit(request, alias)
  refuse()
  await expect(first).rejects.toMatchObject(unconfirmed)
  await submission.submit(request, alias)
  expect(new Set(broadcasts)).toEqual(new Set(['aa01']))
  expect(await store.counts(from)).toEqual({ mined: 0, next: 1 })
})

test('error: a refusal after an unclear answer frees nothing', async () => {
  const { broadcasts, state, submission } = setup()
  state.answer = () => Promise.reject(new UpstreamError('the connection broke'))
  await expect(submission.submit(request, alias)).rejects.toMatchObject(unconfirmed)
  state.answer = async () => REFUSED
  await expect(submission.submit(request, alias)).rejects.toMatchObject(unconfirmed)
  expect(new Set(broadcasts)).toEqual(new Set(['aa01']))
})

test.each([
  'SERVER_BUSY',
  'NO_CONNECTION',
  'NOT_ENOUGH_EFFECTIVE_CONNECTION',
  'BLOCK_UNSOLIDIFIED',
  'OTHER_ERROR',
  'DUP_TRANSACTION_ERROR',
  'A_NEW_CODE',
])('error: %s is no refusal', async (code) => {
  const { broadcasts, state, store, submission } = setup()
  state.answer = async () => ({ result: false, code, message: 'words' })
  await expect(submission.submit(request, alias)).rejects.toMatchObject({
    code: -32003,
    message: expect.stringMatching(
      /^unconfirmed: .*until 1970-01-01T00:01:00.000Z; .*words$/,
    ) as string,
    data: { hash: alias, expiration: '0x3c' },
  })
  expect(await store.counts(from)).toEqual({ mined: 0, next: 1 })
  state.answer = async () => ACCEPTED
  await submission.submit(request, alias)
  expect(new Set(broadcasts)).toEqual(new Set(['aa01']))
})

test('behavior: a duplicate that a node shows is sent', async () => {
  const { state, submission } = setup()
  state.answer = async () => ({ result: false, code: 'DUP_TRANSACTION_ERROR' })
  state.isKnown = true
  expect(await submission.submit(request, alias)).toBe(`0x${'1'.padStart(64, '0')}`)
})

test('behavior: a busy node gets the bytes again, and a refusal after that is none', async () => {
  const { broadcasts, state, submission } = setup()
  const answers: BroadcastResult[] = [{ code: 'SERVER_BUSY' }, REFUSED, ACCEPTED]
  state.answer = async () => answers.shift() ?? REFUSED
  await submission.submit(request, alias)
  expect(broadcasts).toEqual(['aa01', 'aa01', 'aa01'])
})

test('error: what no node can have got is free at once', async () => {
  const { state, store, submission } = setup()
  const cause = Object.assign(new Error(), { code: 'ECONNREFUSED' })
  state.answer = () => Promise.reject(new NodeUnreachableError({ cause }))
  await expect(submission.submit(request)).rejects.toThrow('the upstream node is unreachable')
  expect(await store.counts(from)).toEqual({ mined: 0, next: 0 })
})

test('error: nothing is sent when the record is not copied, and its nonce is free', async () => {
  const { broadcasts, replica, store } = setup()
  const assertCopied = () => Promise.reject(new Error('too few replicas'))
  const submission = replica({ ...store, assertCopied })
  await expect(submission.submit(request, alias)).rejects.toThrow('too few replicas')
  expect(broadcasts).toEqual([])
  expect(await store.counts(from)).toEqual({ mined: 0, next: 0 })
  // The same while the record cannot be dropped: no broadcast of it was started.
  const change = () => Promise.reject(new Error('the store does not answer'))
  const other = replica({ ...store, assertCopied, change })
  await expect(other.submit(request, alias)).rejects.toThrow('too few replicas')
  expect(broadcasts).toEqual([])
})

test('error: sent before, and its record is not copied now: it may be mined, so it is unconfirmed', async () => {
  const { broadcasts, replica, store, submission } = setup()
  await submission.submit(request, alias)
  const assertCopied = () => Promise.reject(new Error('too few replicas'))
  const other = replica({ ...store, assertCopied })
  await expect(other.submit(request, alias)).rejects.toMatchObject(unconfirmed)
  expect(broadcasts).toEqual(['aa01'])
  expect(await store.counts(from)).toEqual({ mined: 0, next: 1 })
})

test('error: sent before, and Redis is lost since it was found: it may be mined, so it is unconfirmed', async () => {
  const { broadcasts, replica, store, submission } = setup()
  await submission.submit(request, alias)
  const change = () => Promise.reject(new Error('the store does not answer'))
  await expect(replica({ ...store, change }).submit(request, alias)).rejects.toMatchObject(
    unconfirmed,
  )
  expect(broadcasts).toEqual(['aa01'])
})

test('error: the same Ethereum transaction again is answered while a node holds its broadcast', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { broadcasts, replica, state, submission } = setup()
  await submission.submit(request, alias)
  state.answer = () => new Promise(() => {})
  const other = replica()
  for (const _ of ['broadcast', 'joined']) {
    const again = other.submit(request, alias).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(9_000)
    expect(await again).toMatchObject(unconfirmed)
  }
  expect(broadcasts).toEqual(['aa01', 'aa01'])
})

test('error: nothing is recorded when looking for the record has taken too long', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { broadcasts, replica, store } = setup()
  const find = async () => void vi.advanceTimersByTime(5_001)
  await expect(replica({ ...store, find }).submit(request, alias)).rejects.toThrow(
    'nothing was sent',
  )
  expect(await store.counts(from)).toEqual({ mined: 0, next: 0 })
  expect(broadcasts).toEqual([])
})

test('error: Redis starts again while a transaction is signed, and may lack what another replica has sent', async () => {
  const { broadcasts, state, store, submission } = setup()
  state.onSign = () => (state.isLost = true)
  await expect(submission.submit(request, alias)).rejects.toThrow('Redis may have lost records')
  expect(await store.counts(from)).toEqual({ mined: 0, next: 0 })
  expect(broadcasts).toEqual([])
})

test('error: a refusal that cannot be recorded is unconfirmed: another replica may have broadcast it', async () => {
  const { replica, state, store } = setup()
  state.answer = async () => REFUSED
  const change = () => Promise.reject(new Error('the store does not answer'))
  await expect(replica({ ...store, change }).submit(request, alias)).rejects.toMatchObject({
    ...unconfirmed,
    message: expect.stringContaining('refused: no') as string,
  })
})

test('error: native bytes again are unconfirmed while no node answers, never an error that may mean refused', async () => {
  const { broadcasts, state, submission } = setup()
  const transaction = { raw_data: { expiration: EXPIRATION } } as never
  const signed = { id: `0x${'77'.repeat(32)}`, hex: 'bb', transaction } as const
  state.answer = () => Promise.reject(new UpstreamError('the connection broke'))
  await expect(submission.submitSigned(signed, owner)).rejects.toMatchObject(unconfirmed)
  const silent = () => Promise.reject(new UpstreamError('the node did not answer'))
  await expect(submission.submitSigned(signed, silent)).rejects.toMatchObject(unconfirmed)
  expect(broadcasts).toEqual(['bb', 'bb'])
})

test.each([2n ** 62n, -(2n ** 62n)])(
  'error: native bytes that expire at %i are unconfirmed while no node answers',
  async (expiration) => {
    const { state, store, submission } = setup()
    const transaction = { raw_data: { expiration } } as never
    const signed = { id: `0x${'77'.repeat(32)}`, hex: 'bb', transaction } as const
    state.answer = () => Promise.reject(new UpstreamError('the connection broke'))
    await expect(submission.submitSigned(signed, owner)).rejects.toMatchObject(unconfirmed)
    // A record is written as JSON.
    expect(JSON.stringify(await store.find(signed.id))).toContain('"state":"pending"')
  },
)

test('behavior: native bytes again, long after their record was dropped, are no request without end', async () => {
  let now = 0
  const { broadcasts, replica, state } = setup()
  const store = createMemorySentStore({ now: () => now })
  const submission = replica(store)
  const transaction = { raw_data: { expiration: EXPIRATION } } as never
  const signed = { id: `0x${'77'.repeat(32)}`, hex: 'bb', transaction } as const
  await submission.submitSigned(signed, owner)
  await store.change(signed.id, { event: 'final' })
  now = 31 * 86_400_000
  state.answer = async () => ({ result: false, code: 'TRANSACTION_EXPIRATION_ERROR' })
  await expect(submission.submitSigned(signed, owner)).rejects.toThrow(/^transaction expired/)
  state.isKnown = true
  await submission.submitSigned(signed, owner)
  expect(broadcasts).toEqual(['bb', 'bb', 'bb'])
})
