import { JsonRpcProvider, Network } from 'ethers'
import { type BaseError, createPublicClient, http, RpcRequestError, zeroHash } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startGateway, type TestGateway } from '../support/gateway.ts'
import { recordedRpc } from '../support/node.ts'
import { heights } from '../support/recordedBlock.ts'
import { CHAIN } from '../support/recordedChain.ts'
import { expectedBlock, type ExpectedBlock } from './expected.ts'

/** Every block, transaction, receipt and log of the recorded chain, read by clients over a socket. */

const EMPTY_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const network = new Network('recorded', CHAIN.chainId)

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

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

/** Heights that are asked for at once, which clients send in batches. */
const AT_ONCE = 8

/** Reads heights a few at a time, when the first of them is wanted. Returns what came of one. */
function readAhead<result>(read: (height: number) => Promise<result>) {
  const answers = new Map<number, Promise<result>>()
  return (height: number): Promise<result> => {
    if (!answers.has(height))
      for (const next of heights.slice(height, height + AT_ONCE)) {
        const answer = read(next)
        // The test of that height fails with it.
        answer.catch(() => {})
        answers.set(next, answer)
      }
    return answers.get(height) as Promise<result>
  }
}

describe('viem', () => {
  const createClient = () =>
    createPublicClient({
      transport: http(gateway.url, { batch: { batchSize: 100 }, retryCount: 0, timeout: 60_000 }),
    })

  const readBlock = readAhead(async (height) => {
    const client = createClient()
    const blockHash = expectedBlock(height).hash
    return Promise.all([
      client.getBlock({ blockNumber: BigInt(height), includeTransactions: true }),
      client.getBlock({ blockHash }),
      client.getBlockTransactionCount({ blockHash }),
    ])
  })

  test.each(heights)('block %i', async (height) => {
    const expected = expectedBlock(height)
    const [block, slim, count] = await readBlock(height)
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
    expect(slim.transactions).toEqual(expected.transactions.map(({ hash }) => hash))
    expect(count).toBe(expected.transactions.length)
  })

  const readTransactions = readAhead(async (height) => {
    const client = createClient()
    const { receipts, transactions } = expectedBlock(height)
    return Promise.all(
      transactions.map(({ hash, index }) =>
        Promise.all([
          client.getTransaction({ hash }),
          client.getTransaction({ blockNumber: BigInt(height), index }),
          receipts[index] && client.getTransactionReceipt({ hash }),
        ]),
      ),
    )
  })

  test.each(heights)('transactions and receipts of block %i', async (height) => {
    const expected = expectedBlock(height)
    const answers = await readTransactions(height)
    expect(answers).toHaveLength(expected.transactions.length)
    for (const [index, [transaction, byIndex, found]] of answers.entries()) {
      const { from, to } = expected.transactions[index] as ExpectedBlock['transactions'][0]
      const receipt = expected.receipts[index]
      expect(transaction).toEqual(byIndex)
      if (!receipt || !found) continue
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
      // The gas limit of a transaction is never below the gas that it used.
      expect(transaction.gas).toBeGreaterThanOrEqual(found.gasUsed)
    }
  })

  const readLogs = readAhead(async (height) => {
    const client = createClient()
    const blockNumber = BigInt(height)
    return Promise.all([
      client.getLogs({ fromBlock: blockNumber, toBlock: blockNumber }),
      client.getLogs({ blockHash: expectedBlock(height).hash }),
    ])
  })

  test.each(heights)('logs of block %i', async (height) => {
    const expected = expectedBlock(height)
    const logs = expected.receipts.flatMap(({ logs }) => logs)
    const [found, byHash] = await readLogs(height)
    expect(found).toHaveLength(logs.length)
    expect(found).toMatchObject(logs)
    expect(byHash).toEqual(found)
    for (const { blockTimestamp } of found) expect(blockTimestamp).toBe(expected.timestamp)
  })

  test('all logs, following the ranges that refusals suggest', async () => {
    const client = createClient()
    const found: string[] = []
    const refusals: number[] = []
    for (let from = 0n; from <= CHAIN.head;) {
      const page = await client.getLogs({ fromBlock: from, toBlock: 'latest' }).catch(refusal)
      const to = 'data' in page ? BigInt(page.data.to) : BigInt(CHAIN.head)
      if ('data' in page) refusals.push(page.code)
      const logs = 'data' in page ? await client.getLogs({ fromBlock: from, toBlock: to }) : page
      found.push(...logs.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`))
      from = to + 1n
    }
    const all = heights.flatMap((height) =>
      expectedBlock(height).receipts.flatMap(({ logs }) => logs),
    )
    expect(refusals).toEqual([-32005])
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

  const readBlock = readAhead((height) => provider.getBlock(height, true))

  test.each(heights)('block %i', async (height) => {
    const expected = expectedBlock(height)
    const block = await readBlock(height)
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

  const readReceipts = readAhead(async (height) => {
    const { hash, receipts } = expectedBlock(height)
    return Promise.all([
      provider.getLogs({ blockHash: hash }),
      ...receipts.map(({ transactionHash }) => provider.getTransactionReceipt(transactionHash)),
    ])
  })

  test.each(heights)('receipts and logs of block %i', async (height) => {
    const expected = expectedBlock(height)
    const [found, ...receipts] = await readReceipts(height)
    expect(receipts).toHaveLength(expected.receipts.length)
    for (const [index, receipt] of receipts.entries()) {
      const { contractAddress, logs, success, ...fields } = expected.receipts[
        index
      ] as ExpectedBlock['receipts'][0]
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
