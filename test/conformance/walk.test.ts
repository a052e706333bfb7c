import { JsonRpcProvider, Network } from 'ethers'
import { type BaseError, createPublicClient, http, RpcRequestError, zeroHash } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startReplayGateway } from '../gateway.ts'
import { recordedRpc } from '../node.ts'
import { heights } from '../recordedBlock.ts'
import { CHAIN } from '../recordedChain.ts'
import { expectedBlock, type ExpectedBlock } from './expected.ts'

/** Every block, transaction, receipt and log of the recorded chain, read by clients over a socket. */

const EMPTY_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const network = new Network('recorded', CHAIN.chainId)

let gateway: Awaited<ReturnType<typeof startReplayGateway>>

beforeAll(async () => {
  gateway = await startReplayGateway()
})
afterAll(() => gateway.stop())

const headerOf = ({
  baseFeePerGas,
  gasUsed,
  hash,
  logsBloom,
  miner,
  number,
  parentHash,
  timestamp,
  transactionsRoot,
}: ExpectedBlock) => ({
  baseFeePerGas,
  gasUsed,
  hash,
  logsBloom,
  miner,
  number,
  parentHash,
  timestamp,
  transactionsRoot,
})

describe('viem', () => {
  const createClient = () =>
    createPublicClient({
      transport: http(gateway.url, { batch: { batchSize: 100 }, retryCount: 0 }),
    })

  test.each(heights)('block %i', async (height) => {
    const client = createClient()
    const expected = expectedBlock(height)
    const block = await client.getBlock({ blockNumber: BigInt(height), includeTransactions: true })
    expect(block).toMatchObject({
      ...headerOf(expected),
      mixHash: zeroHash,
      nonce: '0x0000000000000000',
      receiptsRoot: zeroHash,
      sha3Uncles: EMPTY_UNCLES,
      stateRoot: zeroHash,
      uncles: [],
    })
    const their = recordedRpc('eth_getBlockByNumber', [`0x${height.toString(16)}`, true])
    expect(block.size).toBe(BigInt((their.result as { size: string }).size))
    expect(block.gasLimit).toBeGreaterThan(0n)
    expect(block.gasLimit).toBeGreaterThanOrEqual(block.gasUsed)

    expect(
      block.transactions.map(({ r, s, ...transaction }) => ({
        ...transaction,
        r: BigInt(r),
        s: BigInt(s),
      })),
    ).toMatchObject(
      expected.transactions.map(({ index, yParity, ...transaction }) => ({
        ...transaction,
        blockHash: expected.hash,
        blockNumber: expected.number,
        blockTimestamp: expected.timestamp,
        chainId: CHAIN.chainId,
        nonce: 0,
        transactionIndex: index,
        type: 'legacy',
        v: transaction.r === 0n ? 0n : 27n + BigInt(yParity),
      })),
    )
    const slim = await client.getBlock({ blockHash: expected.hash })
    expect(slim.transactions).toEqual(expected.transactions.map(({ hash }) => hash))
    expect(await client.getBlockTransactionCount({ blockHash: expected.hash })).toBe(
      expected.transactions.length,
    )
  })

  test.each(heights)('transactions and receipts of block %i', async (height) => {
    const client = createClient()
    const expected = expectedBlock(height)
    const checkTransaction = async ({
      hash,
      index,
      from,
      to,
    }: ExpectedBlock['transactions'][0]) => {
      const receipt = expected.receipts[index]
      const [transaction, byIndex, found] = await Promise.all([
        client.getTransaction({ hash }),
        client.getTransaction({ blockNumber: BigInt(height), index }),
        receipt && client.getTransactionReceipt({ hash }),
      ])
      expect(transaction).toEqual(byIndex)
      if (!receipt || !found) return
      const { success, logs, ...fields } = receipt
      expect(found).toMatchObject({
        ...fields,
        blockHash: expected.hash,
        blockNumber: expected.number,
        from,
        status: success ? 'success' : 'reverted',
        to,
        transactionIndex: index,
        type: 'legacy',
      })
      expect(found.logs).toMatchObject(logs)
      expect(found.logs).toHaveLength(logs.length)
      // What was asked of a transaction is never less than what it used.
      expect(transaction.gas).toBeGreaterThanOrEqual(found.gasUsed)
    }
    await Promise.all(expected.transactions.map(checkTransaction))
  })

  test.each(heights)('logs of block %i', async (height) => {
    const client = createClient()
    const expected = expectedBlock(height)
    const logs = expected.receipts.flatMap(({ logs }) => logs)
    const blockNumber = BigInt(height)
    const found = await client.getLogs({ fromBlock: blockNumber, toBlock: blockNumber })
    expect(found).toHaveLength(logs.length)
    expect(found).toMatchObject(logs)
    expect(await client.getLogs({ blockHash: expected.hash })).toEqual(found)
    for (const { blockTimestamp } of found) expect(blockTimestamp).toBe(expected.timestamp)
  })

  test('all logs, following the ranges that refusals suggest', async () => {
    const client = createClient()
    const found: string[] = []
    const refusals: number[] = []
    for (let from = 0n; from <= CHAIN.head;) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const page = await client.getLogs({ fromBlock: from, toBlock: 'latest' }).catch(refusal)
      const to = 'data' in page ? BigInt(page.data.to) : BigInt(CHAIN.head)
      if ('data' in page) refusals.push(page.code)
      const logs =
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        'data' in page ? await client.getLogs({ fromBlock: from, toBlock: to }) : page
      found.push(...logs.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`))
      from = to + 1n
    }
    const all = heights.flatMap((height) =>
      expectedBlock(height).receipts.flatMap(({ logs }) => logs),
    )
    expect(refusals).toEqual([-32_005])
    expect(all.length).toBeGreaterThan(10_000)
    expect(found).toEqual(all.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`))
  })
})

/** The error object behind what viem throws. */
function refusal(error: unknown): { code: number; data: { from: string; to: string } } {
  const cause = (error as BaseError).walk((one) => one instanceof RpcRequestError)
  return cause as unknown as ReturnType<typeof refusal>
}

describe('ethers', () => {
  let provider: JsonRpcProvider

  beforeAll(() => {
    provider = new JsonRpcProvider(gateway.url, network, { staticNetwork: network })
  })
  afterAll(() => provider.destroy())

  const lower = (address: string | null) => address?.toLowerCase() ?? null

  test.each(heights)('block %i', async (height) => {
    const expected = expectedBlock(height)
    const block = await provider.getBlock(height, true)
    expect(block).toMatchObject({
      baseFeePerGas: expected.baseFeePerGas,
      gasUsed: expected.gasUsed,
      hash: expected.hash,
      number: height,
      parentHash: expected.parentHash,
      receiptsRoot: zeroHash,
      stateRoot: zeroHash,
      timestamp: Number(expected.timestamp),
    })
    expect(lower(block?.miner ?? null)).toBe(expected.miner)
    expect(
      block?.prefetchedTransactions.map(
        ({ data, from, gasPrice, hash, index, signature, to, value }) => ({
          from: lower(from),
          gasPrice,
          hash,
          index,
          input: data,
          r: BigInt(signature.r),
          s: BigInt(signature.s),
          to: lower(to),
          value,
          yParity: signature.yParity,
        }),
      ),
    ).toEqual(expected.transactions)
  })

  test.each(heights)('receipts and logs of block %i', async (height) => {
    const expected = expectedBlock(height)
    const checkReceipt = async (receiptExpected: ExpectedBlock['receipts'][0]) => {
      const { contractAddress, logs, success, ...fields } = receiptExpected
      const receipt = await provider.getTransactionReceipt(fields.transactionHash)
      expect(receipt).toMatchObject({
        blockHash: expected.hash,
        blockNumber: height,
        cumulativeGasUsed: fields.cumulativeGasUsed,
        gasPrice: fields.effectiveGasPrice,
        gasUsed: fields.gasUsed,
        hash: fields.transactionHash,
        logsBloom: fields.logsBloom,
        status: success ? 1 : 0,
      })
      expect(lower(receipt?.contractAddress ?? null)).toBe(contractAddress)
      expect(receipt?.logs.map(toExpectedLog)).toEqual(logs)
    }
    const [found] = await Promise.all([
      provider.getLogs({ blockHash: expected.hash }),
      ...expected.receipts.map(checkReceipt),
    ])
    expect(found.map(toExpectedLog)).toEqual(expected.receipts.flatMap(({ logs }) => logs))
  })

  function toExpectedLog(log: Awaited<ReturnType<JsonRpcProvider['getLogs']>>[number]) {
    return {
      address: lower(log.address),
      blockHash: log.blockHash,
      blockNumber: BigInt(log.blockNumber),
      data: log.data,
      logIndex: log.index,
      topics: [...log.topics],
      transactionHash: log.transactionHash,
      transactionIndex: log.transactionIndex,
    }
  }
})
