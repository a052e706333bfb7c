import type { Hash } from 'viem'
import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { recordedNative } from '../../../test/support/node.ts'
import { fromPrepared, isPrepared } from '../../lib/prepared.ts'
import type { TransactionInfo } from '../../native/wire/types.ts'
import type { AnyMethod } from '../method.ts'
import { methods } from './index.ts'

/** A block with inner calls and reverted transactions. */
const BLOCK = 0x85
const infos = JSON.parse(
  recordedNative('/wallet/gettransactioninfobyblocknum', { num: BLOCK }),
) as TransactionInfo[]
const hashOf = ({ id }: TransactionInfo): Hash => `0x${id}`
const UNKNOWN = `0x${'12'.repeat(32)}`

async function call(name: keyof typeof methods, ...params: unknown[]) {
  const context = await createReplayContext()
  const answer: unknown = await callMethod(methods[name] as AnyMethod, context, params)
  return isPrepared(answer) ? fromPrepared(answer) : answer
}

test('default: what Otterscan asks first', async () => {
  expect(await call('ots_getApiLevel')).toBe(8)
  const header = await call('erigon_getHeaderByNumber', BLOCK)
  const block = (await call('eth_getBlockByNumber', `0x${BLOCK.toString(16)}`, false)) as object
  expect(block).toMatchObject(header as object)
  expect(header).not.toHaveProperty('transactions')
})

test('default: a block, its fees and its transactions, newest page first', async () => {
  const details = (await call('ots_getBlockDetails', BLOCK)) as {
    block: { hash: Hash; transactionCount: number }
    totalFees: string
  }
  const receipts = (await call('eth_getBlockReceipts', `0x${BLOCK.toString(16)}`)) as {
    effectiveGasPrice: string
    gasUsed: string
    transactionHash: Hash
  }[]
  const fees = receipts.reduce(
    (sum, one) => sum + BigInt(one.effectiveGasPrice) * BigInt(one.gasUsed),
    0n,
  )
  expect(BigInt(details.totalFees)).toBe(fees)
  expect(details.block.transactionCount).toBe(infos.length)
  expect(details.block).not.toHaveProperty('transactions')
  expect(await call('ots_getBlockDetailsByHash', details.block.hash)).toEqual(details)

  const size = 2
  const hashes: Hash[] = []
  for (let page = 0; hashes.length < infos.length; page++) {
    const found = (await call('ots_getBlockTransactions', BLOCK, page, size)) as {
      fullblock: { transactions: { hash: Hash; input: string }[]; transactionCount: number }
      receipts: { transactionHash: Hash; logs: null }[]
    }
    const { transactionCount, transactions } = found.fullblock
    expect(transactionCount).toBe(infos.length)
    expect(transactions.length).toBeGreaterThan(0)
    for (const { input } of transactions) expect(input.length).toBeLessThanOrEqual(10)
    expect(found.receipts.map(({ transactionHash }) => transactionHash)).toEqual(
      transactions.map(({ hash }) => hash),
    )
    hashes.unshift(...transactions.map(({ hash }) => hash))
  }
  expect(hashes).toEqual(infos.map(hashOf))
})

test('default: the frames and inner operations that the node recorded', async () => {
  const info = infos.find(({ internal_transactions = [] }) => internal_transactions.length > 0)
  const frames = (await call('ots_traceTransaction', hashOf(info as TransactionInfo))) as {
    depth: number
    from: string
    to: string
  }[]
  expect(frames.slice(1).map(({ from, to }) => [from, to])).toEqual(
    info?.internal_transactions?.map((one) => [
      `0x${one.caller_address?.slice(2)}`,
      `0x${one.transferTo_address?.slice(2)}`,
    ]),
  )
  expect(frames.map(({ depth }) => depth)[0]).toBe(0)
  for (const one of infos) {
    const operations = (await call('ots_getInternalOperations', hashOf(one))) as { to: string }[]
    for (const { to } of operations) expect(to).toMatch(/^0x[0-9a-f]{40}$/)
    for (const { to } of (await call('ots_traceTransaction', hashOf(one))) as { to: string }[])
      expect(to).toMatch(/^0x[0-9a-f]{40}$/)
  }
})

test('default: the revert data of a transaction', async () => {
  const reverted = infos.filter(({ receipt }) => receipt?.result === 'REVERT')
  expect(reverted.length).toBeGreaterThan(0)
  for (const one of infos)
    expect(await call('ots_getTransactionError', hashOf(one))).toBe(
      one.receipt?.result === 'REVERT' ? `0x${one.contractResult?.[0] ?? ''}` : '0x',
    )
})

test('behavior: an unknown block is null, an unknown transaction an error', async () => {
  expect(await call('ots_getBlockDetails', 100_000)).toBeNull()
  expect(await call('ots_getBlockDetailsByHash', UNKNOWN)).toBeNull()
  expect(await call('erigon_getHeaderByNumber', 100_000)).toBeNull()
  for (const name of [
    'ots_traceTransaction',
    'ots_getInternalOperations',
    'ots_getTransactionError',
  ] as const)
    await expect(call(name, UNKNOWN)).rejects.toMatchObject({ code: -32000 })
})
