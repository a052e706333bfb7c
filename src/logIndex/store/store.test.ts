import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { address, indexBlocks } from '../../../test/support/indexBlocks.ts'
import { openEngine } from '../engine/open.ts'
import { accountsProblem, entryOf } from './coverage.ts'
import { openFacts } from './facts.ts'
import { mergeAppended } from './merge.ts'
import { createIndexStore } from './store.ts'

const GROUP = 64

async function someStore(addresses?: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-store-'))
  const engine = await openEngine(directory)
  onTestFinished(async () => {
    await engine.close()
    rmSync(directory, { recursive: true })
  })
  const facts = await openFacts(engine, { addresses, genesis: '00' })
  return { ...createIndexStore({ engine, facts }), engine }
}

test('default: a segment is added once', async () => {
  const store = await someStore()
  const blocks = indexBlocks(0, GROUP, () => [{}, {}])
  expect(await store.append(0, blocks)).toBe(GROUP * 2)
  expect(await store.append(0, blocks)).toBe(undefined)
  expect(await store.coverage()).toMatchObject([{ from: 0, to: GROUP - 1, logs: GROUP * 2 }])
})

test('behavior: only the logs that the index keeps are counted', async () => {
  const store = await someStore([address(2)])
  const blocks = indexBlocks(0, GROUP, (number) => [{}, { address: address(number % 4) }])
  expect(await store.append(0, blocks)).toBe(GROUP / 4)
  expect(await store.coverage()).toMatchObject([{ logs: GROUP / 4 }])
})

test('behavior: segments of before accounts were kept are named, and not merged with others', async () => {
  const store = await someStore()
  const blocks = indexBlocks(0, 16 * GROUP)
  for (let at = 0; at < blocks.length; at += GROUP)
    await store.append(0, blocks.slice(at, at + GROUP))
  expect(accountsProblem(await store.segments(), true)).toBe(undefined)
  const segments = await store.segments()
  const forget = (count: number) =>
    store.engine.write((batch) =>
      batch.put(
        'segments',
        segments
          .slice(0, count)
          .map(({ level, segment, parentHash, lastHash, logs }) =>
            entryOf({ level, segment, parentHash, lastHash, logs }),
          ),
      ),
    )
  await forget(3)
  expect(await mergeAppended(store.engine)).toBe(false)
  expect(accountsProblem(await store.segments(), true)).toContain('blocks of 0 to 191')
  await forget(16)
  expect(await mergeAppended(store.engine)).toBe(true)
  expect(accountsProblem(await store.segments(), true)).toContain('blocks of 0 to 1023')
  expect(accountsProblem(await store.segments(), false)).toBe(undefined)
})

test('error: blocks that are not a segment of one chain are refused', async () => {
  const store = await someStore()
  const blocks = indexBlocks(0, 2 * GROUP)
  const first = blocks.slice(0, GROUP)
  const other = first.map((block) => (block.number === 9 ? { ...block, hash: 'ff' } : block))
  await expect(store.append(0, other)).rejects.toThrow('block 10 is not the child of block 9')
  const gap = first.filter(({ number }) => number !== 30)
  await expect(store.append(0, gap)).rejects.toThrow('expected block 30, got block 31')
  for (const part of [first.slice(1), first.slice(0, -1), blocks.slice(0, GROUP + 1)])
    await expect(store.append(0, part)).rejects.toThrow('are not a segment')
  await expect(store.append(0, [])).rejects.toThrow('no blocks')
  expect(await store.coverage()).toEqual([])
})
