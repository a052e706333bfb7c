import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { indexBlocks } from '../../../test/support/indexBlocks.ts'
import { postgresMissing, somePostgresIndex } from '../../../test/support/postgres.ts'
import { explainSkip } from '../../../test/support/redis.ts'
import { openEngine } from '../engine/open.ts'
import { createSearcher } from '../search/search.ts'
import { openFacts } from './facts.ts'
import { mergeFilled, mergeIndex } from './merge.ts'
import { createIndexStore } from './store.ts'

const UNIT = 1_024
const MERGED = 64 * UNIT
/** A log in every hundredth block. */
const blocks = indexBlocks(0, MERGED, (number) => (number % 100 === 0 ? [{}] : []))
const noPause = async () => {}

/** An index with 64 filled segments. */
async function openFilled(url: string) {
  const engine = await openEngine(url)
  const facts = await openFacts(engine, { genesis: '00' })
  const store = createIndexStore({ engine, facts })
  for (let at = 0; at < MERGED; at += UNIT) await store.append(1, blocks.slice(at, at + UNIT))
  const searcher = createSearcher({ deadline: 60_000, engine, facts })
  /** Heights of all logs, by the list of their number of topics. */
  const found = async () => {
    const every = { addresses: [], topics: [], from: 0, to: MERGED - 1, limit: 1e6 }
    const byList = await searcher.search({ ...every, addresses: ['0'.repeat(39) + '1'] })
    const { blocks: all } = await searcher.search(every)
    expect([...byList.blocks]).toEqual([...all])
    return [...all]
  }
  return { engine, found, store }
}

function testMerge(open: () => { url: string; drop(): Promise<void> }): void {
  test('behavior: a merge that another process takes over stops, and no list is lost', async () => {
    const index = open()
    const { engine, found } = await openFilled(index.url)
    try {
      const before = await found()
      let pauses = 0
      let isMerged: boolean | undefined
      const first = mergeFilled(engine, async () => {
        pauses += 1
        if (pauses === 10) isMerged = await mergeFilled(engine, noPause)
      })
      expect(await first).toBe(false)
      expect(isMerged).toBe(true)
      expect(pauses).toBe(10)
      expect(before.length).toBe(Math.ceil(MERGED / 100))
      expect(await found()).toEqual(before)
    } finally {
      await engine.close()
      await index.drop()
    }
  }, 120_000)

  test('behavior: a merge that is interrupted ends at once and is completed later', async () => {
    const index = open()
    const { engine, found, store } = await openFilled(index.url)
    try {
      const before = await found()
      const stopping = new AbortController()
      setImmediate(() => stopping.abort(new Error('stopping')))
      await expect(mergeIndex(engine, stopping.signal)).rejects.toThrow('stopping')
      expect((await store.segments()).map(({ level }) => level)).not.toContain(2)
      await mergeIndex(engine)
      expect((await store.segments()).map(({ level }) => level)).toEqual([2])
      expect(await found()).toEqual(before)
    } finally {
      await engine.close()
      await index.drop()
    }
  }, 120_000)

  test('behavior: blocks that are filled again after a reorg during a merge are kept', async () => {
    const index = open()
    const { engine, found, store } = await openFilled(index.url)
    try {
      let isCrossed = false
      await mergeFilled(engine, async () => {
        const [segment] = await store.segments()
        if (isCrossed || segment?.level !== 2) return
        isCrossed = true
        await store.remove(await store.segments())
        await store.append(1, blocks.slice(0, UNIT))
        await store.append(1, blocks.slice(UNIT * 40, UNIT * 41))
      })
      expect(isCrossed).toBe(true)
      const kept = (at: number) => at < UNIT || (at >= UNIT * 40 && at < UNIT * 41)
      const wanted = blocks.filter(({ logs, number }) => logs.length > 0 && kept(number))
      expect(await found()).toEqual(wanted.map(({ number }) => number))
    } finally {
      await engine.close()
      await index.drop()
    }
  }, 120_000)
}

describe('lmdb', () => {
  testMerge(() => {
    const url = mkdtempSync(join(tmpdir(), 'ethgate-merge-'))
    return { url, drop: async () => rmSync(url, { recursive: true }) }
  })
})

explainSkip(postgresMissing)
describe.skipIf(postgresMissing)('postgres', () => {
  testMerge(somePostgresIndex)
})
