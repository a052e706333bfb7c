import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { sleep } from '../../src/lib/sleep.ts'
import type { Engine } from '../../src/logIndex/engine/engine.ts'
import { openEngine } from '../../src/logIndex/engine/open.ts'
import { createPace } from '../../src/logIndex/fill/pace.ts'
import { lastIndexable } from '../../src/logIndex/fill/segments.ts'
import { type BlockReader, createBlockReader } from '../../src/logIndex/fill/source.ts'
import { createSearcher } from '../../src/logIndex/search/search.ts'
import { readCoverage } from '../../src/logIndex/store/coverage.ts'
import { type Facts, openFacts } from '../../src/logIndex/store/facts.ts'
import { verifyBlocks } from '../../src/logIndex/verify.ts'
import { createScriptedChain, type ScriptedChain } from '../support/chain.ts'
import { commandFile } from '../support/cli.ts'
import { isLong } from '../support/long.ts'
import { postgresMissing, somePostgresIndex } from '../support/postgres.ts'
import { explainSkip } from '../support/redis.ts'
import { until } from '../support/until.ts'

/** Times that each process is killed. With INDEX_KILLS=50 the six cases take about half an hour. */
const KILLS = Number(process.env['INDEX_KILLS'] ?? (isLong ? 8 : 1))
const BLOCKS = KILLS > 1 ? 2_600 : 1_300
/** Three of this many blocks have logs. Few blocks are enough, because checking each of them takes most of the time. */
const LOGS_EVERY = KILLS > 1 ? 4 : 16
/** Calls that a process makes before it fills. */
const FIRST_CALLS = 20
/** A whole unit of filling. */
const MORE_BLOCKS = 1_024

/** A chain with one to three logs in some blocks. */
function createChain() {
  const chain = createScriptedChain()
  for (let number = 1; number < BLOCKS; number++) mineSome(chain)
  chain.solidify(BLOCKS - 1)
  return chain
}

/** The next block: one to three logs, or none. */
function mineSome(chain: ScriptedChain): void {
  const number = chain.head().number + 1
  const place = number % LOGS_EVERY
  chain.mine({
    logs: Array.from({ length: place < 4 ? place : 0 }, (_, index) => [
      {
        address: ((number + index) % 7).toString(16).padStart(40, '0'),
        topics: Array.from({ length: index + 1 }, (_, place) =>
          ((number + place) % 11).toString(16).padStart(64, '0'),
        ),
      },
    ]),
  })
}

/** `ethgate index` in a separate process. */
function startFilling(index: string, url: string, from: number): ChildProcess {
  return spawn(
    process.execPath,
    [
      commandFile(),
      'index',
      '--index',
      index,
      '--upstream',
      url,
      '--from',
      String(from),
      '--index-rate',
      '10000',
      '--quiet',
      '--json',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
}

/** Kills filling again and again, then lets it end. @param beside - processes that fill the same index and are not killed */
async function testKills(index: string, { beside = 0 } = {}): Promise<Checked> {
  const chain = createChain()
  const node = await chain.listen()
  const engine = await openEngine(index)
  try {
    const facts = await openFacts(engine, { genesis: chain.genesis.slice(2) })
    let before = 0
    const others = Array.from({ length: beside }, () => ending(startFilling(index, node.url, 0)))
    for (let kill = 0; kill < KILLS; kill++) {
      // Some blocks are always missing.
      if ((await coveredBlocks(engine)) > lastIndexable(chain.head().number))
        for (let block = 0; block < MORE_BLOCKS; block++) mineSome(chain)
      chain.solidify(chain.head().number)
      const filling = startFilling(index, node.url, 0)
      const ended = once(filling, 'exit')
      // At another point of the work each time: after some more calls to the node, or while it makes none because it writes.
      const started = chain.total()
      const point = started + FIRST_CALLS + ((kill * 137) % 1_700)
      const pause = (kill * 31) % 300
      let [calls, last] = [started, performance.now()]
      while (filling.exitCode === null && chain.total() < point) {
        await Promise.race([ended, sleep(2)])
        if (chain.total() > calls) [calls, last] = [chain.total(), performance.now()]
        else if (calls > started + FIRST_CALLS && performance.now() - last > pause) break
      }
      filling.kill('SIGKILL')
      await ended
      // The covered blocks are present and right, and no block that was covered before is lost.
      const result = await verifyBlocks({
        engine,
        facts,
        reader: readerOf(chain),
        sample: 200,
        random: () => (kill % 10) / 10,
      })
      expect(result.wrong).toEqual([])
      const now = await coveredBlocks(engine)
      expect(now).toBeGreaterThanOrEqual(before)
      before = now
    }
    const ends = await Promise.all([...others, ending(startFilling(index, node.url, 0))])
    expect(ends).toEqual(ends.map(() => ({ code: 0, errors: '' })))
    return await check(engine, facts, chain)
  } finally {
    await engine.close()
    await node.close()
  }
}

/** How a process ends. */
async function ending(filling: ChildProcess): Promise<{ code: unknown; errors: string }> {
  let errors = ''
  filling.stderr?.on('data', (data: Buffer) => (errors += data.toString()))
  const [code] = (await once(filling, 'exit')) as [unknown]
  return { code, errors }
}

/** The result of verifying a whole index without faults. */
type Checked = { wrong: number[]; repeated: number }

/** Compares all of an index with its chain. It has every block that can be indexed. */
async function check(engine: Engine, facts: Facts, chain: ScriptedChain): Promise<Checked> {
  const last = lastIndexable(chain.head().number)
  expect(await coverage(engine)).toMatchObject([{ from: 0, to: last }])
  const { logs, wrong } = await verifyBlocks({ engine, facts, reader: readerOf(chain) })
  const searcher = createSearcher({ deadline: 60_000, engine, facts })
  const every = { addresses: [], topics: [null], from: 0, to: last }
  const { count } = await searcher.search(every)
  return { wrong, repeated: count - logs }
}

const coverage = (engine: Engine) => engine.read(readCoverage)

async function coveredBlocks(engine: Engine): Promise<number> {
  return (await coverage(engine)).reduce((sum, { from, to }) => sum + to - from + 1, 0)
}

function readerOf(chain: ScriptedChain): BlockReader {
  return createBlockReader({
    native: chain.native,
    pace: createPace({ concurrency: 8, rate: 1e6 }),
  })
}

/** `ethgate serve --index` in a separate process, which follows the chain. */
function startFollowing(index: string, url: string): ChildProcess {
  return spawn(
    process.execPath,
    [
      commandFile(),
      'serve',
      '--port',
      '0',
      '--index',
      index,
      '--index-from',
      '0',
      '--index-rate',
      '10000',
      '--upstream',
      url,
      '--upstream-solidity',
      url,
    ],
    { stdio: 'ignore' },
  )
}

/** Kills a gateway that follows the chain again and again, while blocks come. */
async function testFollowing(index: string): Promise<Checked> {
  const chain = createChain()
  const node = await chain.listen()
  const engine = await openEngine(index)
  try {
    const facts = await openFacts(engine, { genesis: chain.genesis.slice(2) })
    const covers = (last: number) =>
      until(async () => expect(await coveredBlocks(engine)).toBeGreaterThan(last), { interval: 50 })
    let following = startFollowing(index, node.url)
    let ended = once(following, 'exit')
    for (let kill = 0; kill < KILLS; kill++) {
      // All blocks: those that were missed while no gateway ran are filled together with the newest.
      await covers(lastIndexable(chain.head().number))
      const before = await coveredBlocks(engine)
      // Groups come one after another, and the process dies somewhere between them.
      for (let block = 0; block < 256; block++) mineSome(chain)
      chain.solidify(chain.head().number)
      const point = chain.total() + 1 + ((kill * 37) % 150)
      await until(() => expect(chain.total()).toBeGreaterThanOrEqual(point), { interval: 5 })
      following.kill('SIGKILL')
      await ended
      expect(await coveredBlocks(engine)).toBeGreaterThanOrEqual(before)
      following = startFollowing(index, node.url)
      ended = once(following, 'exit')
    }
    await covers(lastIndexable(chain.head().number))
    following.kill('SIGKILL')
    await ended
    return await check(engine, facts, chain)
  } finally {
    await engine.close()
    await node.close()
  }
}

const NOTHING_WRONG: Checked = { wrong: [], repeated: 0 }

/** The same for each engine. @param open - an index of the test's own, and how to remove it */
function testEngine(open: () => { url: string; drop(): Promise<void> }): void {
  const on = async (run: (url: string) => Promise<Checked>) => {
    const index = open()
    try {
      return await run(index.url)
    } finally {
      await index.drop()
    }
  }

  test(
    'behavior: filling that is killed again and again ends without a gap and without a repetition',
    async () => expect(await on(testKills)).toEqual(NOTHING_WRONG),
    300_000 + KILLS * 60_000,
  )

  test(
    'behavior: the same with another process that fills and is not killed',
    async () => expect(await on((url) => testKills(url, { beside: 1 }))).toEqual(NOTHING_WRONG),
    300_000 + KILLS * 60_000,
  )

  test(
    'behavior: a gateway that follows the chain and is killed again and again leaves no gap and no repetition',
    async () => expect(await on(testFollowing)).toEqual(NOTHING_WRONG),
    300_000 + KILLS * 60_000,
  )
}

describe('lmdb', () => {
  testEngine(() => {
    const url = mkdtempSync(join(tmpdir(), 'ethgate-index-kill-'))
    return { url, drop: async () => rmSync(url, { recursive: true }) }
  })
})

explainSkip(postgresMissing)
describe.skipIf(postgresMissing)('postgres', () => {
  testEngine(somePostgresIndex)
})
