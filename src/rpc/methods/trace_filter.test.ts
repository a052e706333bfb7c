import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN } from '../../../test/support/recordedChain.ts'
import type { FlatTrace } from '../../codec/flatTrace.ts'
import { trace_block } from './trace_block.ts'
import { trace_filter } from './trace_filter.ts'

const KITCHEN = '0x8233a7f16c9f522f26006ab000e1df7a6ae68662'
const HEIR = '0x44257cd2acc97cf143c167dcadd5e5e2e1396c5e'

test('default: every trace of the blocks, in their order', async () => {
  const context = await createReplayContext()
  const range = { fromBlock: '0x80', toBlock: '0x90' }
  const expected: FlatTrace[] = []
  for (let block = 0x80; block <= 0x90; block++)
    expected.push(...((await callMethod(trace_block, context, [`0x${block.toString(16)}`])) ?? []))
  expect(expected.length).toBeGreaterThan(10)
  expect(await callMethod(trace_filter, context, [range])).toEqual(expected)
})

test('args: an open range is the whole chain', async () => {
  const context = await createReplayContext()
  const all = await callMethod(trace_filter, context, [{}])
  const range = { fromBlock: 'earliest', toBlock: 'latest' }
  expect(all).toEqual(await callMethod(trace_filter, context, [range]))
  expect(all.at(0)?.blockNumber).toBeLessThan(all.at(-1)?.blockNumber ?? 0)
})

test('args: senders, receivers, pages', async () => {
  const context = await createReplayContext()
  const filter = async (more: object) =>
    callMethod(trace_filter, context, [
      { fromBlock: '0x80', toBlock: '0x90', toAddress: [HEIR], ...more },
    ])
  const all = await filter({})
  expect(all.map(({ type }) => type)).toEqual(['call', 'suicide'])
  expect(await filter({ after: '0x1', count: '0x1' })).toEqual([all[1]])
  expect(await filter({ fromAddress: [KITCHEN], mode: 'intersection' })).toEqual([all[0]])
})

test('error: a reorg while the blocks are read', async () => {
  const context = await createReplayContext()
  const range = { fromBlock: '0x80', toBlock: '0x90' }
  const rejected = {
    code: -32000,
    message: 'a reorg replaced the block while it was read; try again',
  }
  // One that removes the newest block of the range, and one that replaces it.
  const removes = { ...context.execution, framesOfBlock: async () => undefined }
  await expect(
    callMethod(trace_filter, { ...context, execution: removes }, [range]),
  ).rejects.toMatchObject(rejected)
  let reads = 0
  const chain = {
    ...context.chain,
    resolve: async () => ({ hash: `0x${'0'.repeat(63)}${++reads}` as const, number: 0x90 }),
  }
  await expect(callMethod(trace_filter, { ...context, chain }, [range])).rejects.toMatchObject(
    rejected,
  )
})

test('error: a range that is too long', async () => {
  const context = await createReplayContext()
  const range = { fromBlock: '0x0', toBlock: '0x12c' }
  const chain = { ...context.chain, range: async () => ({ from: 0, to: 300 }) }
  await expect(callMethod(trace_filter, { ...context, chain }, [range])).rejects.toMatchObject({
    code: -32602,
    message: 'exceed max block range: 300',
  })
})

test.each([
  ['both bounds', { fromBlock: '0xfff0', toBlock: '0xffff' }],
  ['the end', { fromBlock: '0x1', toBlock: '0xffff' }],
  ['the start', { fromBlock: '0xffff' }],
])('error: %s beyond the head', async (_, range) => {
  const context = await createReplayContext()
  await expect(callMethod(trace_filter, context, [range])).rejects.toMatchObject({
    code: -32602,
    message: `block range extends beyond current head block: requested 65535, head ${CHAIN.head}`,
  })
  expect(context.node.requests.paths()).not.toContain('/wallet/gettransactioninfobyblocknum')
})

test('error: a range that ends before it begins', async () => {
  const context = await createReplayContext()
  const range = { fromBlock: '0x90', toBlock: '0x80' }
  await expect(callMethod(trace_filter, context, [range])).rejects.toMatchObject({ code: -32602 })
})

test('behavior: blocks after a full page are not read', async () => {
  const context = await createReplayContext()
  const range = { fromBlock: '0x85', toBlock: '0x90', count: '0x1' }
  expect(await callMethod(trace_filter, context, [range])).toHaveLength(1)
  const infos = context.node.requests.paths().filter((path) => path.endsWith('infobyblocknum'))
  // Those of the first block: for its logs, and for its internal transactions.
  expect(infos).toHaveLength(2)
})

test('error: a mode that does not exist', async () => {
  const context = await createReplayContext()
  expect(() => callMethod(trace_filter, context, [{ mode: 'both' }])).toThrow(
    expect.objectContaining({ code: -32602 }),
  )
})
