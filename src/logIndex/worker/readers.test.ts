import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { indexBlocks } from '../../../test/indexBlocks.ts'
import { until } from '../../../test/until.ts'
import { openEngine } from '../engine/open.ts'
import { openFacts } from '../facts.ts'
import { createIndexStore } from '../store.ts'
import { createReaders } from './readers.ts'

const BLOCKS = 1_024
const GENESIS = '00'.repeat(32)
const EVERY = { addresses: [], limit: 1e6, from: 0, to: BLOCKS - 1 }

/** Readers of a small index with one log in each block. */
async function someReaders(most: number) {
  const address = mkdtempSync(join(tmpdir(), 'ethgate-readers-'))
  const engine = await openEngine(address)
  const facts = await openFacts(engine, { genesis: GENESIS })
  const store = createIndexStore({ engine, facts })
  await store.append(
    1,
    indexBlocks(0, BLOCKS, () => [{}]),
  )
  await engine.close()
  const errors: string[] = []
  const readers = createReaders({
    data: { address, deadline: 60_000, genesis: GENESIS },
    most,
    onError: ({ message }) => errors.push(message),
    restartDelay: 10,
  })
  readers.start()
  onTestFinished(async () => {
    await readers.stop()
    rmSync(address, { force: true, recursive: true })
    expect(errors).toEqual([])
  })
  return readers
}

test('default: many searches at once have the same answer', async () => {
  const readers = await someReaders(3)
  await until(async () => expect(await readers.coverage()).toMatchObject({ ranges: [{ from: 0 }] }))
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => readers.search({ ...EVERY, topics: [] })),
    )
    expect(new Set(answers.map((answer) => answer?.count))).toEqual(new Set([BLOCKS]))
  }
})

test('behavior: threads are added while all are busy, up to the most', async () => {
  const readers = await someReaders(2)
  const search = () => readers.search({ ...EVERY, topics: [] })
  await search()
  expect(readers.count()).toBe(1)
  await until(async () => {
    await Promise.all([search(), search(), search()])
    expect(readers.count()).toBe(2)
  })
  await Promise.all(Array.from({ length: 20 }, search))
  expect(readers.count()).toBe(2)
})

test('behavior: a cancelled search ends at once', async () => {
  const readers = await someReaders(1)
  const search = readers.search({ ...EVERY, topics: [] }, AbortSignal.timeout(0))
  await expect(search).rejects.toThrow('timeout')
  expect((await readers.search({ ...EVERY, topics: [] }))?.count).toBe(BLOCKS)
})
