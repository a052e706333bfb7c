import { expect, test } from 'vitest'

import { createReplayContext } from '../../test/support/context.ts'
import { labels } from '../../test/support/recordedChain.ts'
import { fromPrepared, isPrepared } from '../lib/prepared.ts'
import { receiptByHash, transactionByHash } from './alias.ts'
import type { SentTransaction } from './sentStore.ts'

const id = `0x${labels.contracts.Kitchen.tx}` as const
const alias = `0x${'aa'.repeat(32)}` as const
const sent: SentTransaction = {
  alias,
  broadcasts: 1,
  expiration: 0,
  from: '0x',
  id,
  nonce: 7,
  state: 'final',
}

/** A context of a gateway that sent the creation of Kitchen. `find` looks up sent transactions. */
async function createContext(find: (hash: string) => Promise<SentTransaction | undefined>) {
  const context = await createReplayContext()
  return { ...context, sending: { ...context.sending, find } }
}

const known = async (hash: string) => ([id, alias].includes(hash as never) ? sent : undefined)
const unavailable = async () => {
  throw new Error('the store is unavailable')
}

test('default: finds a transaction by either hash, with its nonce', async () => {
  const context = await createContext(known)
  for (const hash of [id, alias])
    expect(await transactionByHash(hash, context)).toMatchObject({
      blockNumber: expect.stringMatching(/^0x/),
      hash,
      nonce: '0x7',
    })
})

test('default: a receipt contains the requested hash in every field', async () => {
  const context = await createContext(known)
  for (const hash of [id, alias]) {
    const answer = await receiptByHash(hash, context)
    expect(isPrepared(answer) ? fromPrepared(answer) : answer).toMatchObject({
      contractAddress: `0x${labels.contracts.Kitchen.address.slice(2)}`,
      transactionHash: hash,
    })
  }
})

test('behavior: a transaction of the chain is found without the store', async () => {
  const context = await createContext(unavailable)
  expect(await transactionByHash(id, context)).toMatchObject({ hash: id, nonce: '0x0' })
  expect(await receiptByHash(id, context)).toBeDefined()
})

test('error: a hash that only the store can know', async () => {
  const context = await createContext(unavailable)
  const unknown = `0x${'00'.repeat(32)}` as const
  await expect(transactionByHash(unknown, context)).rejects.toThrow('unavailable')
})
