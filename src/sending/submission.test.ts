import { expect, test } from 'vitest'

import type { NativeClient } from '../native/client.ts'
import { createMemorySentStore } from './memorySentStore.ts'
import type { SendRequest } from './signing.ts'
import { createSubmission } from './submission.ts'

const from = `0x${'a1'.repeat(20)}` as const
const alias = `0x${'f0'.repeat(32)}` as const
const request: SendRequest = { from, value: 1n, data: '0x', nonce: 0 }
const EXPIRATION = 60_000

/** A node that accepts what it gets, unless a test says otherwise. */
function setup() {
  const store = createMemorySentStore()
  const broadcasts: string[] = []
  const state = { time: 0, onBroadcast: async () => {} }
  let count = 0
  const submission = createSubmission({
    assertKept: async () => {},
    chain: { latest: () => ({ timestamp: state.time }) as never },
    contracts: { refresh: async () => {} },
    head: { latest: () => ({ number: 1 }) as never, pollNow() {} },
    native: {
      wallet: {
        async broadcastHex({ transaction }: { transaction: string }) {
          broadcasts.push(transaction)
          await state.onBroadcast()
          return { result: true }
        },
        getTransactionById: async () => undefined,
        getTransactionInfoById: async () => undefined,
      },
    } as unknown as NativeClient,
    onError() {},
    onReplaced() {},
    onSent() {},
    refusals: () => [],
    async sign() {
      const id = `0x${(++count).toString(16).padStart(64, '0')}` as const
      return {
        id,
        hex: `aa${count}`,
        transaction: { raw_data: { expiration: EXPIRATION } } as never,
      }
    },
    sleep: async () => {},
    store,
  })
  return { broadcasts, state, store, submission }
}

test('error: a transaction whose record has expired, and that is in no block, is not sent', async () => {
  const { broadcasts, state, submission } = setup()
  await submission.submitEthereum(request, alias)
  state.time = EXPIRATION
  await expect(submission.submitEthereum(request, alias)).rejects.toMatchObject({
    code: -32005,
    data: { retryAfter: 60 },
  })
  expect(broadcasts).toEqual(['aa1'])
})

test('behavior: a transaction that another replica has removed is recorded again when the node accepts it', async () => {
  const { broadcasts, state, store, submission } = setup()
  await submission.submitEthereum(request, alias)
  const sent = await store.find(alias)
  state.onBroadcast = () => store.release(sent?.id ?? '0x', { state: 'expired' })
  await submission.submitEthereum(request, alias)
  // The same bytes, and not a second transaction.
  expect(broadcasts).toEqual(['aa1', 'aa1'])
  expect(await store.find(alias)).toEqual(sent)
})

test('behavior: a transaction that was refused is signed anew', async () => {
  const { broadcasts, store, submission } = setup()
  await submission.submitEthereum(request, alias)
  const sent = await store.find(alias)
  await store.release(sent?.id ?? '0x', { state: 'expired' })
  await submission.submitEthereum(request, alias)
  expect(broadcasts).toEqual(['aa1', 'aa2'])
})

test('error: the client gets the refusal of the node also when it cannot be recorded', async () => {
  const { state, store, submission } = setup()
  state.onBroadcast = () => Promise.reject(new Error('refused by the node'))
  store.release = () => Promise.reject(new Error('the store does not answer'))
  await expect(submission.submitEthereum(request, alias)).rejects.toThrow('refused by the node')
})
