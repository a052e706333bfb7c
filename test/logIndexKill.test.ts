import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { coverageOf, readSegments } from '../src/logIndex/coverage.ts'
import { openEngine } from '../src/logIndex/engine/open.ts'
import { openFacts } from '../src/logIndex/facts.ts'
import { createPace } from '../src/logIndex/fill/pace.ts'
import { createBlockReader } from '../src/logIndex/fill/source.ts'
import { lastIndexable } from '../src/logIndex/fill/units.ts'
import { createSearcher } from '../src/logIndex/search/search.ts'
import { verifyBlocks } from '../src/logIndex/verify.ts'
import { createScriptedChain, type ScriptedChain } from './chain.ts'
import { commandFile } from './cli.ts'
import { postgresMissing, somePostgresIndex } from './postgres.ts'
import { explainSkip } from './redis.ts'
import { until } from './until.ts'

/** Times that filling is killed: INDEX_KILLS=50 for more. */
const KILLS = Number(process.env['INDEX_KILLS'] ?? 3)
/** The same for following: a gateway takes longer to start. */
const FOLLOWING_KILLS = Number(process.env['INDEX_KILLS'] ?? 1)
const BLOCKS = 2_600

explainSkip(postgresMissing)
const directory = mkdtempSync(join(tmpdir(), 'ethgate-index-kill-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** A chain with a log or two in most blocks. */
function createChain() {
  const chain = createScriptedChain()
  for (let number = 1; number < BLOCKS; number++) mineSome(chain)
  chain.solidify(BLOCKS - 1)
  return chain
}

/** The next block: a log or two, or none. */
function mineSome(chain: ScriptedChain): void {
  const number = chain.head().number + 1
  chain.mine({
    logs: Array.from({ length: number % 4 }, (_, index) => [
      {
        address: ((number + index) % 7).toString(16).padStart(40, '0'),
        topics: Array.from({ length: index + 1 }, (_, place) =>
          ((number + place) % 11).toString(16).padStart(64, '0'),
        ),
      },
    ]),
  })
}

/** `ethgate index` in a process of its own. */
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

/** Kills filling again and again, then lets it end. Returns what is wrong then: nothing. */
async function testKills(index: string): Promise<{ wrong: number[]; repeated: number }> {
  const chain = createChain()
  const node = await chain.listen()
  const { genesis } = chain
  const engine = await openEngine(index)
  try {
    const facts = await openFacts(engine, { genesis: genesis.slice(2) })
    const reader = createBlockReader({
      native: chain.native,
      pace: createPace({ concurrency: 8, rate: 1e6 }),
    })
    const covered = () => engine.read(async (view) => coverageOf(await readSegments(view)))
    const blocksOf = async () =>
      (await covered()).reduce((sum, { from, to }) => sum + to - from + 1, 0)
    let before = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const filling = startFilling(index, node.url, 0)
      const ended = new Promise((resolve) => filling.once('exit', resolve))
      const calls = chain.total()
      // At another point of the work each time: after some more calls to the node.
      const point = calls + 20 + ((kill * 137) % 900)
      while (filling.exitCode === null && chain.total() < point)
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5))])
      filling.kill('SIGKILL')
      await ended
      // What is covered is there and right, and nothing that was is lost.
      const result = await verifyBlocks({
        engine,
        facts,
        reader,
        sample: 200,
        random: () => (kill % 10) / 10,
      })
      expect(result.wrong).toEqual([])
      const now = await blocksOf()
      expect(now).toBeGreaterThanOrEqual(before)
      before = now
    }
    const filling = startFilling(index, node.url, 0)
    const errors: string[] = []
    filling.stderr?.on('data', (data: Buffer) => errors.push(data.toString()))
    const code = await new Promise((resolve) => filling.once('exit', resolve))
    expect({ code, errors }).toEqual({ code: 0, errors: [] })
    expect(await covered()).toMatchObject([{ from: 0, to: lastIndexable(BLOCKS - 1) }])
    const whole = await verifyBlocks({ engine, facts, reader })
    const searcher = createSearcher({ deadline: 60_000, engine, facts })
    const { count } = await searcher.search({
      addresses: [],
      topics: [null],
      from: 0,
      to: lastIndexable(BLOCKS - 1),
    })
    return { wrong: whole.wrong, repeated: count - whole.logs }
  } finally {
    await engine.close()
    await node.close()
  }
}

/** `ethgate serve --index` in a process of its own, which follows the chain. */
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
async function testFollowing(index: string): Promise<{ wrong: number[]; repeated: number }> {
  const chain = createChain()
  const node = await chain.listen()
  const engine = await openEngine(index)
  try {
    const facts = await openFacts(engine, { genesis: chain.genesis.slice(2) })
    const covered = () => engine.read(async (view) => coverageOf(await readSegments(view)))
    const blocksOf = async () =>
      (await covered()).reduce((sum, { from, to }) => sum + to - from + 1, 0)
    const covers = (last: number) =>
      until(async () => expect(await blocksOf()).toBeGreaterThan(last), { interval: 50 })
    let following = startFollowing(index, node.url)
    let ended = once(following, 'exit')
    for (let kill = 0; kill < FOLLOWING_KILLS; kill++) {
      // All that there is; what was missed while nothing ran is filled beside the newest.
      await covers(lastIndexable(chain.head().number))
      const before = await blocksOf()
      // Groups come one after another, and the process dies somewhere between them.
      for (let block = 0; block < 256; block++) mineSome(chain)
      chain.solidify(chain.head().number)
      const point = chain.total() + 1 + ((kill * 37) % 150)
      await until(() => expect(chain.total()).toBeGreaterThanOrEqual(point), { interval: 5 })
      following.kill('SIGKILL')
      await ended
      expect(await blocksOf()).toBeGreaterThanOrEqual(before)
      following = startFollowing(index, node.url)
      ended = once(following, 'exit')
    }
    const last = lastIndexable(chain.head().number)
    await covers(last)
    following.kill('SIGKILL')
    await ended
    expect(await covered()).toMatchObject([{ from: 0, to: last }])
    const pace = createPace({ concurrency: 8, rate: 1e6 })
    const reader = createBlockReader({ native: chain.native, pace })
    const whole = await verifyBlocks({ engine, facts, reader })
    const searcher = createSearcher({ deadline: 60_000, engine, facts })
    const every = { addresses: [], topics: [null], from: 0, to: last }
    const { count } = await searcher.search(every)
    return { wrong: whole.wrong, repeated: count - whole.logs }
  } finally {
    await engine.close()
    await node.close()
  }
}

test(
  'behavior: a gateway that follows the chain and is killed again and again leaves no gap and no repetition',
  async () => {
    expect(await testFollowing(join(directory, 'following'))).toEqual({ wrong: [], repeated: 0 })
  },
  60_000 + FOLLOWING_KILLS * 30_000,
)

test(
  'behavior: filling that is killed again and again ends without a gap and without a repetition',
  async () => {
    expect(await testKills(directory)).toEqual({ wrong: [], repeated: 0 })
  },
  60_000 + KILLS * 20_000,
)

test.skipIf(postgresMissing)(
  'behavior: the same in PostgreSQL',
  async () => {
    const index = somePostgresIndex()
    try {
      expect(await testKills(index.url)).toEqual({ wrong: [], repeated: 0 })
    } finally {
      await index.drop()
    }
  },
  60_000 + KILLS * 60_000,
)
