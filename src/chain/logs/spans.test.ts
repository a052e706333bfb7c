import { expect, test } from 'vitest'

import { createReplayNative } from '../../../test/support/native.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import type { NativeClient } from '../../native/client.ts'
import { NodeLacksApiError, NodeTimeoutError } from '../../native/errors.ts'
import type { BlockOutline } from '../../native/wire/blockOutline.ts'
import { type CanonicalView, createBlocks } from '../blocks/blocks.ts'
import { arrayOf, type LogChunk } from '../blocks/logChunk.ts'
import { createLogMatcher } from '../blocks/logMatch.ts'
import { createSolidCache } from '../blocks/solidCache.ts'
import type { HeadBlock } from '../head/headTypes.ts'
import { type BlockSpans, createBlockSpans } from './spans.ts'

const newest: HeadBlock = {
  hash: `0x${'0'.repeat(64)}`,
  number: 223,
  parentHash: `0x${'0'.repeat(64)}`,
  timestamp: 0,
}
const head: CanonicalView = {
  at: () => undefined,
  blockWith: () => undefined,
  latest: () => newest,
  onUpdate: () => () => {},
  pollNow: () => {},
  solid: () => newest,
}

type Bulk = BlockOutline[]

/** Spans over the recorded chain. `change` corrupts the answer of the bulk read, or throws instead. */
async function setup(change: (answer: Bulk) => Bulk) {
  const { native, node } = await createReplayNative()
  const wallet: NativeClient['wallet'] = {
    ...native.wallet,
    getBlockOutlines: async (request) => change(await native.wallet.getBlockOutlines(request)),
  }
  const failing = { ...native, wallet }
  const blocks = createBlocks({ cacheBytes: 1e6, head, native: failing })
  return {
    node,
    spans: createBlockSpans({
      blocks,
      cache: createSolidCache({ blocks, bytes: 1e6 }),
      concurrency: 4,
      head,
      native: failing,
    }),
  }
}

const failWith = (error: Error) => () => {
  throw error
}

const rowsOf = (chunk: LogChunk | undefined) =>
  chunk ? fromPrepared(arrayOf([chunk], chunk.count)) : []
const everything = createLogMatcher({ addresses: [], topics: [] })
const logsIn = async (spans: BlockSpans) =>
  (await spans.read(100, 199)).flatMap((block) => rowsOf(block?.logs(everything)))

test('behavior: without bulk reads, blocks are read one by one', async () => {
  const { spans } = await setup(
    failWith(new NodeLacksApiError('getblockbylimitnext', 'unknown', {})),
  )
  const read = await spans.read(128, 131)
  expect(read.map((block) => block?.id.number)).toEqual([128, 129, 130, 131])
})

test('error: a node that does not answer in time gets no more calls', async () => {
  const { node, spans } = await setup(failWith(new NodeTimeoutError(1)))
  await expect(spans.read(128, 131)).rejects.toThrow('did not answer')
  expect(node.requests.count('/wallet/getblockbynum')).toBe(0)
})

test('default: blocks without their transactions do not count as empty', async () => {
  const whole = await setup((answer) => answer)
  const expected = await logsIn(whole.spans)
  expect(expected.length).toBeGreaterThan(0)
  const spoilt = [
    // No transactions, some of them, another height, fewer blocks, the same blocks twice.
    (block: BlockOutline) => [{ ...block, txIDs: [] }],
    (block: BlockOutline) => [{ ...block, txIDs: block.txIDs.slice(1) }],
    (block: BlockOutline) => [raised(block)],
    (block: BlockOutline, index: number) => (index % 2 === 0 ? [] : [block]),
    (block: BlockOutline) => [block, block],
  ]
  for (const change of spoilt) {
    const { spans } = await setup((outlines) => outlines.flatMap(change))
    expect(await logsIn(spans)).toEqual(expected)
  }
})

/** A block with the number of the next one in its header. */
function raised(block: BlockOutline): BlockOutline {
  const { raw_data } = block.block_header
  const header = {
    ...block.block_header,
    raw_data: { ...raw_data, number: (raw_data.number ?? 0) + 1 },
  }
  return { ...block, block_header: header }
}
