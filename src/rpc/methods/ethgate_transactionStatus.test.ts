import { type Hash, keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN, keys } from '../../../test/support/recordedChain.ts'
import { signedTransfer } from '../../../test/support/signedTransfer.ts'
import type { HeadBlock } from '../../chain/head/headTypes.ts'
import type { RpcBlock } from '../../codec/types.ts'
import { fromPrepared, type Prepared } from '../../lib/prepared.ts'
import { createMemorySentStore } from '../../sending/memorySentStore.ts'
import type { SentTransaction } from '../../sending/sentStore.ts'
import type { Context } from '../context.ts'
import { eth_sendRawTransaction } from './eth_sendRawTransaction.ts'
import { ethgate_transactionStatus } from './ethgate_transactionStatus.ts'

const id = `0x${'5a'.repeat(32)}` as const

/** Answers of a node by operation; those without an answer are `{}`: the node has nothing. */
type Answers = Partial<Record<string, object>>

async function open(answers: Answers = {}, solid: number = CHAIN.head) {
  return createReplayContext({
    keys: [keys.bob.pk],
    solid,
    intercept({ path }) {
      const name = path.split('/').at(-1) ?? ''
      const asked = ['gettransactioninfobyid', 'gettransactionfrompending', 'gettransactionbyid']
      const answer = answers[name] ?? (asked.includes(name) ? {} : undefined)
      return answer && { text: JSON.stringify(answer) }
    },
  })
}

const statusOf = (context: Context, hash: Hash) =>
  callMethod(ethgate_transactionStatus, context, [hash])

const ACCEPTED = { broadcasthex: { result: true } }

test('default: a transaction of block 0, of which nodes keep no outcome', async () => {
  const context = await open()
  const block = fromPrepared((await context.chain.block(0, false)) as Prepared<RpcBlock>)
  const [first] = block.transactions as Hash[]
  expect(await statusOf(context, first as Hash)).toEqual({
    state: 'mined',
    transactionHash: first,
    ethereumHash: null,
    block: {
      number: '0x0',
      hash: block.hash,
      confirmations: `0x${(CHAIN.head + 1).toString(16)}`,
      solidified: true,
    },
    outcome: 'success',
    evidence: 'it is in block 0, which the chain began with',
  })
})

test('default: a transaction that nobody has', async () => {
  expect(await statusOf(await open(), id)).toEqual({
    state: 'unknown',
    transactionHash: id,
    ethereumHash: null,
    evidence: expect.stringContaining('no record of it') as string,
  })
})

test.each([
  [{}, { outcome: 'success' }],
  [{ receipt: { result: 'SUCCESS' } }, { outcome: 'success' }],
  [{ receipt: { result: 'DEFAULT' } }, { outcome: 'success' }],
  [{ receipt: { result: 'OUT_OF_ENERGY' }, result: 'FAILED' }, { outcome: 'outOfEnergy' }],
  [
    { receipt: { result: 'OUT_OF_TIME' }, result: 'FAILED' },
    { outcome: 'failed', reason: 'OUT_OF_TIME' },
  ],
  [
    {
      receipt: { result: 'REVERT' },
      result: 'FAILED',
      contractResult: [
        `08c379a0${'20'.padStart(64, '0')}${'2'.padStart(64, '0')}${'6e6f'.padEnd(64, '0')}`,
      ],
    },
    { outcome: 'reverted', reason: 'no' },
  ],
])('behavior: mined, with the outcome of %o', async (info, expected) => {
  const context = await open({
    gettransactioninfobyid: { id: id.slice(2), blockNumber: 220, ...info },
  })
  expect(await statusOf(context, id)).toMatchObject({
    state: 'mined',
    block: { number: '0xdc', confirmations: '0x4', solidified: true },
    evidence: expect.stringContaining('solidified block') as string,
    ...expected,
  })
})

test('behavior: mined in a block that is not solidified', async () => {
  const answers = { gettransactioninfobyid: { id: id.slice(2), blockNumber: 220 } }
  expect(await statusOf(await open(answers, 210), id)).toMatchObject({
    block: { hash: expect.stringMatching(/^0x0{14}dc/) as string, solidified: false },
    evidence: expect.stringContaining('a reorg can still remove') as string,
  })
})

test('behavior: in the pool of a node, with its expiration', async () => {
  const waiting = { txID: id.slice(2), raw_data: { expiration: 1_700_000_000_000 } }
  expect(await statusOf(await open({ gettransactionfrompending: waiting }), id)).toMatchObject({
    state: 'pending',
    expiration: '0x6553f100',
  })
})

test('behavior: sent here but not seen at the node, by both hashes', async () => {
  const context = await open(ACCEPTED)
  const ethereumHash = await callMethod(eth_sendRawTransaction, context, [await signedTransfer()])
  const status = await statusOf(context, ethereumHash)
  expect(status).toMatchObject({ state: 'submitted', ethereumHash })
  expect(status.transactionHash).not.toBe(ethereumHash)
  expect(await statusOf(context, status.transactionHash)).toEqual(status)
})

/** A context with what the record has of a transaction. */
async function withSent(sent: Partial<SentTransaction>) {
  const context = await open()
  const found = { id, from: keys.bob.eth, nonce: 0, expiration: 1_700_000_000_000, ...sent }
  return {
    ...context,
    sending: { ...context.sending, find: async () => found as SentTransaction },
  }
}

test('behavior: a node that does not show it proves no expiration', async () => {
  const context = await withSent({ state: 'pending' })
  expect(await statusOf(context, id)).toMatchObject({ state: 'submitted' })
  const store = createMemorySentStore()
  await store.reserve({ id, from: keys.bob.eth, expiration: 1_700_000_000_000 })
  await store.change(id, { event: 'expired' })
  const sending = {
    ...context.sending,
    find: async () => undefined,
    ending: (hash: Hash) => store.ending(hash),
  }
  expect(await statusOf({ ...context, sending }, id)).toMatchObject({
    state: 'expired',
    expiration: '0x6553f100',
  })
})

test('behavior: what the gateway has read in a block is mined, though no node shows it', async () => {
  const block = { number: CHAIN.head, hash: `0x${'0b'.repeat(32)}` } as const
  expect(await statusOf(await withSent({ state: 'final', block }), id)).toMatchObject({
    state: 'mined',
    block: { hash: block.hash, number: '0xdf', solidified: true },
    evidence: 'this gateway has read it in a solidified block, which no reorg can remove',
  })
})

test('behavior: refused, with the reason, by the Ethereum hash', async () => {
  const context = await open({
    broadcasthex: { result: false, code: 'SIGERROR', message: 'Validate signature error: x' },
  })
  const raw = await signedTransfer()
  await expect(callMethod(eth_sendRawTransaction, context, [raw])).rejects.toThrow(
    /^invalid sender/,
  )
  expect(await statusOf(context, keccak256(raw))).toMatchObject({
    state: 'refused',
    ethereumHash: keccak256(raw),
    reason: expect.stringMatching(/^invalid sender/) as string,
  })
})

test('behavior: refused and expired are known to every replica, with the nodes that refused', async () => {
  const store = createMemorySentStore()
  await store.reserve({ id, from: keys.bob.eth, expiration: 1_700_000_000_000 })
  await store.change(id, {
    event: 'refused',
    why: { state: 'refused', nodes: ['a', 'b'], reason: 'no' },
  })
  const context = await open({}, CHAIN.head)
  const sending = { ...context.sending, ending: (hash: Hash) => store.ending(hash) }
  expect(await statusOf({ ...context, sending }, id)).toMatchObject({
    state: 'refused',
    nodes: ['a', 'b'],
    reason: 'no',
    expiration: '0x6553f100',
  })
})

describe('a reorg removed its block', () => {
  const orphan = { number: 220, hash: `0x${'0a'.repeat(32)}` } as HeadBlock

  async function removed(answers: Answers = {}) {
    const context = await open(answers)
    return { ...context, sending: { ...context.sending, orphanWith: () => orphan } }
  }
  const removedFrom = { number: '0xdc', hash: orphan.hash }

  test('behavior: the new branch does not have it', async () => {
    expect(await statusOf(await removed(), id)).toMatchObject({
      state: 'removed',
      removedFrom,
      evidence: expect.stringContaining('a reorg removed its block') as string,
    })
  })

  test('behavior: in the pool again, then in another block', async () => {
    const waiting = { txID: id.slice(2), raw_data: { expiration: 1_700_000_000_000 } }
    const again = await removed({ gettransactionfrompending: waiting })
    expect(await statusOf(again, id)).toMatchObject({
      state: 'pending',
      removedFrom,
      evidence: expect.stringContaining('pending transactions again') as string,
    })
    const mined = await removed({ gettransactioninfobyid: { id: id.slice(2), blockNumber: 221 } })
    expect(await statusOf(mined, id)).toMatchObject({
      state: 'mined',
      removedFrom,
      block: { number: '0xdd' },
    })
  })
})

test('error: not a hash', async () => {
  const context = await open()
  await expect((async () => statusOf(context, '0x12'))()).rejects.toMatchObject({ code: -32602 })
})
