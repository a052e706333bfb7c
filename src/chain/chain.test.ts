import type { Hash } from 'viem'
import { describe, expect, test } from 'vitest'

import { createReplayContext } from '../../test/support/context.ts'
import { heights, recordedBlock, recordedPrice } from '../../test/support/recordedBlock.ts'
import { CHAIN, labels } from '../../test/support/recordedChain.ts'
import { rpcBlockOf } from '../../test/support/rpcBlock.ts'
import { createScriptedView } from '../../test/support/scriptedChainView.ts'
import { toRpcReceipts } from '../codec/receipt.ts'
import type { RpcTransaction } from '../codec/types.ts'
import { fromPrepared } from '../lib/prepared.ts'
import { contentOf } from './reads/load.ts'

const unknown: Hash = `0x${'ab'.repeat(32)}`
const labelledHash = (label: string): Hash =>
  `0x${labels.transactions.find((one) => one.label === label)?.id}`

describe('the recorded chain', () => {
  test('default', async () => {
    const { chain, node } = await createReplayContext()
    for (const number of heights) {
      const { block, infos } = recordedBlock(number)
      const context = {
        chainId: CHAIN.chainId,
        baseFeePerGas: recordedPrice(block.block_header.raw_data.timestamp),
        energyPrice: recordedPrice(block.block_header.raw_data.timestamp),
      }
      const full = rpcBlockOf(block, infos, { ...context, full: true })
      const receipts = toRpcReceipts(block, infos, context)
      expect(fromPrepared((await chain.block(number, true))!)).toEqual(full)
      expect(fromPrepared((await chain.block({ blockHash: full.hash }, false))!)).toEqual(
        rpcBlockOf(block, infos, { ...context, full: false }),
      )
      expect(fromPrepared((await chain.receipts(number))!)).toEqual(receipts)
      expect(await chain.transactionCount(number)).toBe(full.transactions.length)
      for (const [index, row] of (full.transactions as RpcTransaction[]).entries()) {
        expect(await chain.transaction(row.hash)).toEqual(row)
        expect(fromPrepared((await chain.transactionAt(number, index))!)).toEqual(row)
        const receipt = await chain.receipt(row.hash)
        expect(receipt && fromPrepared(receipt)).toEqual(receipts[index])
      }
    }
    // Every block was read once, and the outcomes of every block with transactions.
    expect(node.requests.count('/wallet/getblockbynum')).toBe(heights.length)
    const busy = heights.filter((number) => number > 0 && recordedBlock(number).infos.length > 0)
    expect(node.requests.count('/wallet/gettransactioninfobyblocknum')).toBe(busy.length)
  })

  test('behavior: a block that was answered before is answered without a promise', async () => {
    const { chain } = await createReplayContext()
    const read = chain.block(131, true)
    expect(read).toBeInstanceOf(Promise)
    const block = await read
    expect(chain.block(131, true)).toBe(block)
    // The answer without whole transactions was not built yet.
    expect(chain.block(131, false)).toBeInstanceOf(Promise)
    expect(await chain.block(CHAIN.head + 1, true)).toBeUndefined()
  })

  test('behavior: a cold block costs two calls, a cold transaction or receipt three', async () => {
    const hash = labelledHash('erc20 transfer')
    const asked = async (
      read: (chain: Awaited<ReturnType<typeof createReplayContext>>['chain']) => unknown,
    ) => {
      const { chain, node } = await createReplayContext()
      await chain.energyPrice()
      node.requests.reset()
      await read(chain)
      return node.requests.total()
    }
    expect(await asked((chain) => chain.block(131, true))).toBe(2)
    expect(await asked((chain) => chain.receipt(hash))).toBe(3)
    expect(await asked((chain) => chain.transaction(hash))).toBe(3)
  })

  test('behavior: transactions of genesis are found and have no receipts', async () => {
    const { chain } = await createReplayContext()
    const [hash] = recordedBlock(0).block.transactions?.map(({ txID }): Hash => `0x${txID}`) ?? []
    expect(await chain.transaction(hash!)).toMatchObject({ blockNumber: '0x0', hash })
    expect(await chain.receipt(hash!)).toBeUndefined()
    expect(fromPrepared((await chain.receipts('earliest'))!)).toEqual([])
  })

  test('behavior: unknown blocks and transactions', async () => {
    const { chain } = await createReplayContext()
    expect(await chain.block(224, false)).toBeUndefined()
    expect(await chain.block({ blockHash: unknown }, false)).toBeUndefined()
    expect(await chain.receipts(224)).toBeUndefined()
    expect(await chain.transactionCount(224)).toBeUndefined()
    expect(await chain.transactionAt(131, 99)).toBeUndefined()
    expect(await chain.transactionAt(224, 0)).toBeUndefined()
    expect(await chain.resolve(224)).toBeUndefined()
    expect(await chain.transaction(unknown)).toBeUndefined()
    expect(await chain.receipt(unknown)).toBeUndefined()
  })

  test('behavior: prices', async () => {
    const { chain } = await createReplayContext()
    const genesis = { hash: unknown, parentHash: unknown, timestamp: 0 }
    expect([await chain.energyPrice(), await chain.energyPrice(genesis)]).toEqual([210n, 100n])
  })

  test('behavior: the newest block pays the price before the one that takes effect at its time', async () => {
    const { timestamp: time = 0 } = recordedBlock(223).block.block_header.raw_data
    const { chain } = await createReplayContext({
      intercept: ({ path }) =>
        path.endsWith('getenergyprices')
          ? { text: JSON.stringify({ prices: `0:100,${time}:210` }) }
          : undefined,
    })
    const newest = chain.latest()
    expect(newest.timestamp).toBe(time)
    expect([await chain.energyPrice(newest), await chain.energyPrice()]).toEqual([100n, 210n])
  })

  test('error: an unreachable upstream is an error, never "unknown"', async () => {
    const { chain } = await createReplayContext({ intercept: () => ({ status: 503, text: '' }) })
    const hash = labelledHash('erc20 transfer')
    const reads = [
      chain.block(131, true),
      chain.block({ blockHash: `0x${recordedBlock(131).block.blockID}` }, false),
      chain.receipts(131),
      chain.receipt(hash),
      chain.transaction(hash),
      chain.transactionCount(131),
      chain.energyPrice(),
      chain.logs({ addresses: [], fromBlock: 1, toBlock: 2, topics: [] }),
    ]
    const results = await Promise.allSettled(reads.map(async (read) => read))
    expect(results.map(({ status }) => status)).toEqual(reads.map(() => 'rejected'))
  })

  test('error: a transaction whose outcome the node does not keep', async () => {
    const { chain } = await createReplayContext({
      intercept: ({ path }) =>
        path.endsWith('gettransactioninfobyid') ? { text: '{}' } : undefined,
    })
    await expect(chain.transaction(labelledHash('erc20 transfer'))).rejects.toMatchObject({
      code: -32603,
    })
  })
})

/** Twenty blocks with one transaction each; blocks up to the tenth are solidified. */
function setup(view: 'full' | 'solid' = 'full') {
  const scripts = Array.from({ length: 20 }, () => ({ logs: [[]] }))
  return createScriptedView({ scripts, solid: 10, view })
}

describe('tags', () => {
  test('args: full view', async () => {
    const { chain, hash } = setup()
    const refs = ['latest', 'pending', 'safe', 'finalized', 'earliest', 7] as const
    const ids = await Promise.all(refs.map((ref) => chain.resolve(ref)))
    expect(ids).toEqual([20, 20, 10, 10, 0, 7].map((number) => ({ hash: hash(number), number })))
    expect([chain.latest().number, chain.solid().number]).toEqual([20, 10])
  })

  test('args: solid view', async () => {
    const { chain, hash } = setup('solid')
    expect(await chain.resolve('latest')).toEqual({ hash: hash(10), number: 10 })
    expect(await chain.resolve(11)).toBeUndefined()
    expect(await chain.resolve({ blockHash: hash(11) })).toBeUndefined()
    expect(await chain.block({ blockHash: hash(10) }, false)).toBeDefined()
    expect(chain.latest().number).toBe(10)
  })
})

describe('transactions near the head', () => {
  const transactionIn = async (
    { chain }: ReturnType<typeof setup>,
    number: number,
  ): Promise<Hash> => fromPrepared((await chain.transactionAt(number, 0))!).hash

  test('behavior: in the mempool, the fields of a block are null', async () => {
    const { chain, node } = setup()
    node.pending.push('cd'.repeat(32))
    const hash: Hash = `0x${'cd'.repeat(32)}`
    expect(await chain.transaction(hash)).toMatchObject({
      blockHash: null,
      blockNumber: null,
      gasPrice: '0x64',
      hash,
      transactionIndex: null,
    })
    expect(await chain.receipt(hash)).toBeUndefined()
  })

  test('behavior: a mined transaction does not look like the replacement of a pending one', async () => {
    const view = setup()
    const hash: Hash = `0x${'cd'.repeat(32)}`
    view.node.pending.push(hash.slice(2))
    const mined = await view.chain.transaction(await transactionIn(view, 9))
    expect(mined).toMatchObject({ nonce: '0x0' })
    expect(await view.chain.transaction(hash)).toMatchObject({ nonce: '0x7fffffff' })
  })

  test('behavior: the solid view has no mempool and no block above the solidified one', async () => {
    const full = setup()
    const { chain, node } = setup('solid')
    node.pending.push('cd'.repeat(32))
    const above = await transactionIn(full, 11)
    const below = await transactionIn(full, 9)
    expect(await chain.transaction(`0x${'cd'.repeat(32)}`)).toBeUndefined()
    expect(await chain.transaction(above)).toBeUndefined()
    expect(await chain.receipt(above)).toBeUndefined()
    expect(await chain.transaction(below)).toMatchObject({ blockNumber: '0x9' })
    expect(await chain.receipt(below)).toBeDefined()
  })

  test('behavior: a transaction in a block that the head does not have yet is still pending', async () => {
    const view = setup()
    const { chain, head, node } = view
    node.mine({ logs: [[]] })
    const block = await node.native.wallet.getBlockByNum({ num: 21 })
    const hash: Hash = `0x${block?.transactions?.[0]?.txID}`
    expect(await chain.receipt(hash)).toBeUndefined()
    expect(await chain.transaction(hash)).toMatchObject({ blockHash: null })
    expect(head.polls()).toBeGreaterThan(0)
    head.follow()
    expect(await chain.transaction(hash)).toMatchObject({ blockNumber: '0x15' })
    expect(await chain.receipt(hash)).toBeDefined()
  })

  test('error: a transaction in a block of the head is an error, not null, when the node lags', async () => {
    const view = setup()
    const { chain, head, node } = view
    const block = node.mine({ logs: [[]] })
    head.follow()
    const [hash = '0x'] = block.transactions
    node.faults.lag = 3
    await expect(chain.receipt(hash)).rejects.toMatchObject({ code: -32603 })
    await expect(chain.transaction(hash)).rejects.toMatchObject({ code: -32603 })
    node.faults.lag = 0
    expect(await chain.transaction(hash)).toMatchObject({ blockHash: block.hash })
    expect(await chain.receipt(hash)).toBeDefined()
  })

  test('behavior: a read ends when its client disconnects', async () => {
    const { chain, node } = setup()
    const calls = node.total()
    const gone = { signal: AbortSignal.abort(new Error('client gone')) }
    await expect(chain.block(15, true, gone)).rejects.toThrow('client gone')
    await expect(chain.transactionCount(15, gone)).rejects.toThrow('client gone')
    await expect(chain.transactionAt(15, 0, gone)).rejects.toThrow('client gone')
    await expect(chain.receipts(15, gone)).rejects.toThrow('client gone')
    expect(node.total()).toBe(calls)
  })

  test('behavior: a transaction of an orphan and its receipt are unknown', async () => {
    const view = setup()
    const { chain, head, node } = view
    const hash = await transactionIn(view, 19)
    expect(await chain.receipt(hash)).toBeDefined()
    node.reorg(3, [{}, {}, {}])
    head.follow()
    expect(await chain.receipt(hash)).toBeUndefined()
    expect(await chain.transaction(hash)).toBeUndefined()
  })

  test('behavior: a transaction that a reorg moved is shown in its new block', async () => {
    const view = setup()
    const { blocks, chain, head, node } = view
    const hash = await transactionIn(view, 19)
    // The other branch contains the same transaction two blocks later.
    const [, , block] = node.reorg(3, [{}, {}, { logs: [[]] }])
    const loaded = await node.native.wallet.getBlockByNum({ num: block!.number })
    const [infos] = [await node.native.wallet.getTransactionInfoByBlockNum({ num: block!.number })]
    const txID = hash.slice(2)
    head.follow()
    blocks.put(
      contentOf({
        block: { ...loaded!, transactions: [{ ...loaded!.transactions![0]!, txID }] },
        infos: [{ ...infos[0]!, id: txID }],
      }),
    )
    expect(await chain.transaction(hash)).toMatchObject({
      blockHash: block!.hash,
      blockNumber: '0x14',
    })
    expect(fromPrepared((await chain.receipt(hash))!)).toMatchObject({ blockHash: block!.hash })
  })
})
