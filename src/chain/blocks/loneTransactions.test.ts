import type { Hash } from 'viem'
import { expect, test } from 'vitest'

import { createReplayNative } from '../../../test/support/native.ts'
import { recordedBlock } from '../../../test/support/recordedBlock.ts'
import { toRpcTransactionAt } from '../../codec/block.ts'
import { toRpcReceipt, toRpcReceipts } from '../../codec/receipt.ts'
import type { RpcReceipt } from '../../codec/types.ts'
import { NodeTimeoutError, NodeUnreachableError } from '../../native/errors.ts'
import { createLoneTransactions } from './loneTransactions.ts'

const energyPrice = 100n
/** Blocks with several transactions and with many logs. */
const BLOCKS = [24, 131, 132, 211]

const receiptsOf = (number: number) => {
  const { block, infos } = recordedBlock(number)
  return toRpcReceipts(block, infos, { energyPrice })
}

/** A node whose own JSON-RPC answers the receipts of some blocks, changed by `change`. */
async function setup(change: (receipt: RpcReceipt) => object | null = (receipt) => receipt) {
  const { native, node } = await createReplayNative()
  const receipts = new Map(BLOCKS.flatMap(receiptsOf).map((one) => [one.transactionHash, one]))
  const state = {
    asked: 0,
    canonical: undefined as Hash | undefined,
    epoch: 0,
    fault: undefined as Error | undefined,
    now: 0,
  }
  const read: number[] = []
  const lone = createLoneTransactions({
    blocks: {
      epoch: () => state.epoch,
      get: async (number) => void read.push(number),
      hashAt: () => state.canonical,
    },
    bytes: 1_000_000,
    isBetter: async () => true,
    native,
    newest: () => 220,
    now: () => state.now,
    rpc: () => ({
      async call(_method, [hash]) {
        state.asked += 1
        if (state.fault) throw state.fault
        const receipt = receipts.get(hash as Hash)
        return receipt ? change(receipt) : null
      },
    }),
  })
  return { lone, node, read, state }
}

test('default: the transaction and the receipt are those of the whole block', async () => {
  const { lone } = await setup()
  for (const number of BLOCKS) {
    const { block, infos } = recordedBlock(number)
    for (const [index, receipt] of receiptsOf(number).entries()) {
      const found = (await lone.get(receipt.transactionHash))!
      expect(toRpcReceipt(found.block, found, { ...found, energyPrice })).toEqual(receipt)
      const options = { chainId: 1, energyPrice }
      expect(toRpcTransactionAt(found, found.transaction, options)).toEqual(
        toRpcTransactionAt(
          { block, index, info: infos[index] },
          block.transactions![index]!,
          options,
        ),
      )
    }
  }
})

test('behavior: three calls for both answers; the block is read after two reads in it', async () => {
  const { lone, node, read, state } = await setup()
  const [first, second] = receiptsOf(132)
  await lone.get(first!.transactionHash)
  await lone.get(first!.transactionHash)
  expect([state.asked, node.requests.total(), read.length]).toEqual([1, 2, 0])
  await lone.get(second!.transactionHash)
  expect(read).toEqual([132])
})

test('behavior: a transaction that is not found is not read alone again', async () => {
  const { lone, state } = await setup(() => null)
  const [{ transactionHash }] = receiptsOf(132) as [RpcReceipt]
  expect(await lone.get(transactionHash)).toBeUndefined()
  expect(await lone.get(transactionHash)).toBeUndefined()
  expect(state.asked).toBe(1)
})

test.each<[string, (receipt: RpcReceipt) => object]>([
  ['another transaction', (receipt) => ({ ...receipt, transactionHash: `0x${'ab'.repeat(32)}` })],
  ['a hash of another height', (receipt) => ({ ...receipt, blockHash: `0x${'ab'.repeat(32)}` })],
  ['another height', (receipt) => ({ ...receipt, blockNumber: '0x1' })],
  ['another energy', (receipt) => ({ ...receipt, gasUsed: '0x1' })],
  ['less energy than its own', (receipt) => ({ ...receipt, cumulativeGasUsed: '0x0' })],
  ['fewer logs', (receipt) => ({ ...receipt, logs: receipt.logs.slice(1) })],
  ['no index', (receipt) => ({ ...receipt, transactionIndex: '0x' + 'f'.repeat(20) })],
  ['another format', () => ({ cumulativeGasUsed: 5 })],
])('error: the node’s JSON-RPC says %s', async (_, change) => {
  const { lone } = await setup(change)
  const [receipt] = receiptsOf(132).filter(({ logs }) => logs.length > 1) as [RpcReceipt]
  expect(await lone.get(receipt.transactionHash)).toBeUndefined()
})

test('behavior: nothing is taken of another branch, or of a chain that went back', async () => {
  const { lone, state } = await setup()
  const [first, second] = receiptsOf(132)
  await lone.get(first!.transactionHash)
  state.epoch += 1
  await lone.get(first!.transactionHash)
  expect(state.asked).toBe(2)
  state.canonical = `0x${'ab'.repeat(32)}`
  expect(await lone.get(second!.transactionHash)).toBeUndefined()
})

test.each([new NodeTimeoutError(1), new NodeUnreachableError()])(
  'behavior: a JSON-RPC that does not answer is not asked for a while: $message',
  async (fault) => {
    const { lone, state } = await setup()
    const [first, second] = receiptsOf(132).map(({ transactionHash }) => transactionHash)
    state.fault = fault
    expect(await lone.get(first!)).toBeUndefined()
    state.fault = undefined
    expect(await lone.get(second!)).toBeUndefined()
    expect(state.asked).toBe(1)
    state.now += 11_000
    expect(await lone.get(second!)).toBeDefined()
  },
)

test('error: a node that is unreachable gets no more calls', async () => {
  const { lone, node, state } = await setup()
  await node.close()
  state.fault = new NodeUnreachableError()
  await expect(lone.get(receiptsOf(132)[0]!.transactionHash)).rejects.toThrow(NodeUnreachableError)
})
