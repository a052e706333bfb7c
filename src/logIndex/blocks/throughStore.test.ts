import { expect, test } from 'vitest'

import { recordedNative } from '../../../test/support/node.ts'
import { heights, recordedBlock } from '../../../test/support/recordedBlock.ts'
import { createNodeClient, type NativeClient } from '../../native/client.ts'
import type { NativeTransport } from '../../native/transport/transport.ts'
import { blockFromHttp, outcomesFromHttp } from './fromHttp.ts'
import type { Part } from './halves.ts'
import { type BlockSource, throughStore } from './throughStore.ts'

const [number, value] = [132, recordedBlock(132).block.blockID]
const transaction = { value: recordedBlock(132).block.transactions?.[0]?.txID ?? '' }

/** A node over HTTP, and a store that has the given heights. */
function setup({ has = heights, solid = heights.length - 1 } = {}) {
  const calls: string[] = []
  const kept: Part[] = []
  const reads: boolean[] = []
  const node: NativeTransport = {
    async send(path, body) {
      calls.push(path)
      return { status: 200, text: recordedNative(path, JSON.parse(body ?? '{}') as object) }
    },
    async close() {},
  }
  const source: BlockSource = {
    solid: () => solid,
    async get(number) {
      if (!has.includes(number)) return undefined
      const { block, infos } = recordedBlock(number)
      return { block: blockFromHttp(block), outcomes: outcomesFromHttp(infos) }
    },
    heightOf: async (id) => (id === transaction.value ? number : undefined),
    keep: (part) => void kept.push(part),
  }
  const transport = throughStore(
    node,
    () => source,
    (_, isHit) => void reads.push(isHit),
  )
  return {
    calls,
    direct: createNodeClient({ transport: node }),
    kept,
    native: createNodeClient({ transport }),
    reads,
    source,
  }
}

const READS: [string, (native: NativeClient) => Promise<unknown>][] = [
  ['a block', ({ wallet }) => wallet.getBlockByNum({ num: number })],
  ['genesis', ({ wallet }) => wallet.getBlockByNum({ num: 0 })],
  ['a solidified block', ({ solidity }) => solidity.getBlockByNum({ num: number })],
  ['a block by its id', ({ wallet }) => wallet.getBlockById({ value })],
  ['outcomes', ({ wallet }) => wallet.getTransactionInfoByBlockNum({ num: number })],
  ['outcomes of an empty block', ({ wallet }) => wallet.getTransactionInfoByBlockNum({ num: 5 })],
  ['logs', ({ wallet }) => wallet.getTransactionLogsByBlockNum({ num: number })],
  ['a transaction', ({ wallet }) => wallet.getTransactionById(transaction)],
  ['an outcome', ({ wallet }) => wallet.getTransactionInfoById(transaction)],
  ['a height', ({ solidity }) => solidity.getTransactionHeight(transaction)],
]

test.each(READS)('default: %s is answered as by the node, without a call', async (_, read) => {
  const { calls, direct, native, reads } = setup()
  const found = await read(native)
  expect(calls).toEqual([])
  expect(reads).toEqual([true])
  expect(found).toEqual(await read(direct))
})

test('default: a list of blocks is answered when all are stored', async () => {
  const { calls, native } = setup()
  const { block } = await native.wallet.getBlockByLimitNext({ startNum: 130, endNum: 135 })
  expect(block).toEqual([130, 131, 132, 133, 134].map((at) => recordedBlock(at).block))
  expect(calls).toEqual([])
})

test('behavior: what is not stored is read from the node, and stored when it is final', async () => {
  const { calls, kept, native, reads } = setup({ has: [], solid: 150 })
  const block = await native.wallet.getBlockByNum({ num: 132 })
  await native.wallet.getTransactionInfoByBlockNum({ num: 132 })
  await native.wallet.getBlockByNum({ num: 151 })
  expect(block).toEqual(recordedBlock(132).block)
  expect(calls).toHaveLength(3)
  expect(reads).toEqual([false, false])
  expect(kept.map(({ kind, number }) => [kind, number])).toEqual([
    ['block', 132],
    ['outcomes', 132],
  ])
})

test('behavior: a block above the solidified one is not answered from the store', async () => {
  const { calls, native } = setup({ solid: 131 })
  await native.wallet.getBlockByNum({ num: 132 })
  expect(await native.wallet.getTransactionHeight(transaction)).toBe(132)
  expect(calls).toHaveLength(2)
})

test('behavior: a second read after answers that did not fit together goes to the node over HTTP', async () => {
  const { calls, native } = setup()
  await native.wallet.getTransactionInfoByBlockNum({ num: 132 }, { overHttp: true })
  expect(calls).toHaveLength(1)
})

test('behavior: another block of the height is not an answer by id', async () => {
  const { calls, native } = setup()
  await native.wallet.getBlockById({
    value: value.slice(0, -1) + (value.endsWith('0') ? '1' : '0'),
  })
  expect(calls).toHaveLength(1)
})

test('error: a store that fails', async () => {
  const { calls, native, source } = setup()
  source.get = () => Promise.reject(new Error('disk'))
  expect(await native.wallet.getBlockByNum({ num: 132 })).toEqual(recordedBlock(132).block)
  expect(calls).toHaveLength(1)
})
