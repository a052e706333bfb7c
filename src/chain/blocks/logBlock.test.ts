import fc from 'fast-check'
import { expect, test } from 'vitest'

import { recordedBlock } from '../../../test/support/recordedBlock.ts'
import { CHAIN } from '../../../test/support/recordedChain.ts'
import { toRpcLogs } from '../../codec/log.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { outlinePart } from '../../native/wire/blockOutline.ts'
import { contentOf } from '../reads/load.ts'
import { createCachedBlock } from './cachedBlock.ts'
import { createLogBlock } from './logBlock.ts'
import { arrayOf, type LogChunk } from './logChunk.ts'
import { createLogMatcher } from './logMatch.ts'

const blocks = Array.from({ length: CHAIN.head + 1 }, (_, number) => {
  const { block, infos } = recordedBlock(number)
  return {
    all: toRpcLogs(block, infos),
    cached: createCachedBlock(contentOf({ block, infos }), () => {}),
    // Genesis has transactions without outcomes.
    compact: createLogBlock(outlinePart.pick(block as never), infos),
  }
})
const rowsOf = (chunk: LogChunk) => fromPrepared(arrayOf([chunk], chunk.count))
const textOf = (chunk: LogChunk) => chunk.pieces(chunk.count).map(String).join(',')

test('default: every log of the recorded chain, byte for byte', () => {
  const everything = createLogMatcher({ addresses: [], topics: [] })
  for (const { all, cached, compact } of blocks) {
    expect(compact.id).toEqual(cached.id)
    expect(rowsOf(compact.logs(everything))).toEqual(all)
    expect(textOf(compact.logs(everything))).toBe(textOf(cached.logs(everything)))
  }
})

test('behavior: a search finds the same rows in the compact logs as in the block', () => {
  const logs = blocks.flatMap(({ all }) => all)
  const addresses = [...new Set(logs.map(({ address }) => address as string))]
  const topics = [...new Set(logs.flatMap((log) => log.topics as string[]))]
  const unknown = `0x${'9f'.repeat(32)}`
  const topic = fc.constantFrom(...topics, unknown)
  const match = fc.record({
    addresses: fc.array(fc.constantFrom(...addresses, `0x${'9f'.repeat(20)}`), { maxLength: 3 }),
    topics: fc.array(fc.option(fc.array(topic, { maxLength: 4 })), { maxLength: 4 }),
  })
  fc.assert(
    fc.property(match, (search) => {
      const matcher = createLogMatcher(search)
      for (const { cached, compact } of blocks) {
        const found = compact.logs(matcher)
        expect(textOf(found)).toBe(textOf(cached.logs(matcher)))
        expect(compact.count(matcher)).toBe(found.count)
      }
    }),
  )
})

test('behavior: logs take much less memory than their rows', () => {
  const everything = createLogMatcher({ addresses: [], topics: [] })
  const dense = blocks.filter(({ all }) => all.length > 50)
  expect(dense.length).toBeGreaterThan(0)
  for (const { compact } of dense) {
    const chunk = compact.logs(everything)
    expect(compact.bytes * 3).toBeLessThan(Buffer.concat(chunk.pieces(chunk.count)).length)
  }
})
