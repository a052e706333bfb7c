import { expect, test } from 'vitest'

import { createReplayNative } from '../../test/native.ts'
import type { NativeClient } from '../native/client.ts'
import { NodeLacksApiError, NodeTimeoutError } from '../native/errors.ts'
import { createBlocks } from './blocks.ts'
import type { CanonicalView } from './blocks.ts'
import type { HeadBlock } from './headTypes.ts'
import { createBlockSpans } from './spans.ts'

const newest: HeadBlock = {
  hash: `0x${'0'.repeat(64)}`,
  number: 223,
  parentHash: `0x${'0'.repeat(64)}`,
  timestamp: 0,
}
const head: CanonicalView = {
  at: () => undefined,
  latest: () => newest,
  onUpdate: () => () => {},
  pollNow: () => {},
  solid: () => newest,
}

/** Spans over the recorded chain whose bulk read fails. */
async function setup(error: Error) {
  const { native, node } = await createReplayNative()
  const wallet: NativeClient['wallet'] = {
    ...native.wallet,
    getBlockByLimitNext: async () => {
      throw error
    },
  }
  const failing = { ...native, wallet }
  const blocks = createBlocks({ cacheBytes: 1e6, head, native: failing })
  return { node, spans: createBlockSpans({ blocks, concurrency: 4, head, native: failing }) }
}

test('behavior: without bulk reads, blocks are read one by one', async () => {
  const { spans } = await setup(new NodeLacksApiError('getblockbylimitnext', 'unknown', {}))
  const read = await spans.read(128, 131)
  expect(read.map((block) => block?.id.number)).toEqual([128, 129, 130, 131])
})

test('error: a node that does not answer in time is not asked for more', async () => {
  const { node, spans } = await setup(new NodeTimeoutError(1))
  await expect(spans.read(128, 131)).rejects.toThrow('did not answer')
  expect(node.requests.total()).toBe(0)
})
