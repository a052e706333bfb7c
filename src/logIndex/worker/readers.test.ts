import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { address, indexBlocks } from '../../../test/support/indexBlocks.ts'
import { until } from '../../../test/support/until.ts'
import { openEngine } from '../engine/open.ts'
import type { SearchAnswer } from '../search/search.ts'
import { openFacts } from '../store/facts.ts'
import { createIndexStore } from '../store/store.ts'
import { createReaders } from './readers.ts'

const BLOCKS = 1_024
const GENESIS = '00'.repeat(32)
const EVERY = { addresses: [], limit: 1e6, from: 0, to: BLOCKS - 1 }

const countOf = (answers: readonly SearchAnswer[]) =>
  answers.reduce((sum, { count }) => sum + count, 0)

/** Readers of a small index with one log in each block. */
async function someReaders(most: number, splitAfter?: number) {
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
    data: {
      address,
      deadline: 60_000,
      genesis: GENESIS,
      ...(splitAfter !== undefined && { splitAfter }),
    },
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
    expect(new Set(answers.map(countOf))).toEqual(new Set([BLOCKS]))
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

test('behavior: a long search is split between two threads, and a second one is started for it', async () => {
  const readers = await someReaders(2, 0)
  const request = { ...EVERY, addresses: [address(1)], topics: [] }
  await until(async () => {
    const answers = await readers.search(request)
    expect(readers.count()).toBe(2)
    expect(answers.length).toBe(2)
    const blocks = answers.flatMap(({ blocks }) => [...blocks])
    expect(blocks).toEqual(Array.from({ length: BLOCKS }, (_, block) => block))
    expect(countOf(answers)).toBe(BLOCKS)
  })
  const [counted] = await Promise.all([readers.search(request), readers.search(request)])
  expect(countOf(counted)).toBe(BLOCKS)
  const cancelled = new AbortController()
  const search = readers.search(request, cancelled.signal)
  cancelled.abort(new Error('the client has disconnected'))
  await expect(search).rejects.toThrow('the client has disconnected')
})

test('behavior: a cancelled search ends at once', async () => {
  const readers = await someReaders(1)
  const cancelled = new AbortController()
  const search = readers.search({ ...EVERY, topics: [] }, cancelled.signal)
  cancelled.abort(new Error('the client has disconnected'))
  await expect(search).rejects.toThrow('the client has disconnected')
  expect(countOf(await readers.search({ ...EVERY, topics: [] }))).toBe(BLOCKS)
})
