// A log index of synthetic logs, distributed unevenly like real ones: filling, bytes on disk, and searches through threads as in a gateway.
//
//   npm run bench -- index
//   BENCH_INDEX=…         a directory or postgres://…
//   BENCH_LOGS=20000000   logs to fill; an existing index is extended, and 0 only measures it
//   BENCH_ROUNDS=100      searches of each kind
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Table from 'cli-table3'

import { openEngine } from '../src/logIndex/engine/open.ts'
import type { SearchRequest } from '../src/logIndex/search/search.ts'
import { openFacts } from '../src/logIndex/store/facts.ts'
import { mergeIndex } from '../src/logIndex/store/merge.ts'
import { createIndexStore } from '../src/logIndex/store/store.ts'
import { createReaders } from '../src/logIndex/worker/readers.ts'
import { endAll, startLoad } from './processes.ts'
import { account, contract, createSyntheticChain, TRANSFER, topicOf } from './syntheticLogs.ts'

const LOGS = Number(process.env['BENCH_LOGS'] ?? 1_000_000)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 100)
const UNIT = 1_024
const WARM_UP = 10_000
const GENESIS = '00'.repeat(32)
const address = process.env['BENCH_INDEX'] ?? mkdtempSync(join(tmpdir(), 'ethgate-bench-index-'))

const blocks = await fill()
await search(blocks)

/** Fills the index up to so many logs. Returns how many blocks it has. */
async function fill(): Promise<number> {
  const engine = await openEngine(address)
  const facts = await openFacts(engine, { genesis: GENESIS })
  const store = createIndexStore({ engine, facts })
  const [known] = await store.coverage()
  const chain = createSyntheticChain()
  let logs = known?.logs ?? 0
  let next = (known?.to ?? -1) + 1
  const before = { logs, next }
  const started = performance.now()
  let making = 0
  while (logs < LOGS) {
    const made = performance.now()
    const unit = Array.from({ length: UNIT }, (_, offset) => chain.block(next + offset))
    making += performance.now() - made
    await store.append(1, unit)
    await mergeIndex(engine)
    logs += unit.reduce((sum, { logs }) => sum + logs.length, 0)
    next += UNIT
    if (next % (UNIT * 16) === 0)
      console.error(
        `${logs} logs, ${rate(logs - before.logs, performance.now() - started - making)} a second`,
      )
  }
  const seconds = (performance.now() - started - making) / 1000
  const bytes = await engine.size()
  const table = new Table({
    head: ['index', 'blocks', 'logs', 'logs/s', 'bytes a log on disk', 'RSS MiB'],
  })
  table.push([
    engine.kind,
    next,
    logs,
    logs > before.logs ? Math.round((logs - before.logs) / seconds) : '',
    (bytes / logs).toFixed(0),
    Math.round(process.memoryUsage.rss() / 2 ** 20),
  ])
  console.log(table.toString())
  await engine.close()
  return next
}

/** p50 and p99 of each kind of search, one and eight at a time. */
async function search(blocks: number): Promise<void> {
  const opened = performance.now()
  const readers = createReaders({
    data: { address, deadline: 60_000, genesis: GENESIS },
    onError(error) {
      throw error
    },
    restartDelay: 0,
  })
  readers.start()
  await readers.coverage()
  console.log(`opened in ${Math.round(performance.now() - opened)} ms`)
  const table = new Table({
    head: ['search', 'rows', 'p50 ms', 'p99 ms', 'p50 ms, 8 at once', 'p99 ms, 8 at once'],
  })
  const all = { from: 0, to: blocks - 1 }
  let seed = 1
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % below
  }
  const some = (length: number) => {
    const from = random(Math.max(1, blocks - length))
    return { from, to: from + length - 1 }
  }
  const none = { addresses: [], topics: [] }
  const kinds: Record<string, () => SearchRequest> = {
    'a rare contract, all blocks': () => ({
      ...all,
      ...none,
      addresses: [contract(20_000 + random(30_000))],
    }),
    'hot contract and topic, 2,000 blocks': () => ({
      ...some(2_000),
      addresses: [contract(0)],
      topics: [null, null, [topicOf(account(random(50)))]],
    }),
    'hot contract and Transfer, first 10,001 of 2,000 blocks': () => ({
      ...some(2_000),
      addresses: [contract(0)],
      topics: [[TRANSFER]],
    }),
    'Transfer to one account, all blocks': () => ({
      ...all,
      addresses: [],
      topics: [[TRANSFER], null, [topicOf(account(10_000 + random(1_000_000)))]],
    }),
    '100 addresses, all blocks': () => ({
      ...all,
      ...none,
      addresses: Array.from({ length: 100 }, () => contract(10_000 + random(40_000))),
    }),
    'topic1 only, all blocks': () => ({
      ...all,
      addresses: [],
      topics: [null, [topicOf(account(10_000 + random(1_000_000)))]],
    }),
    'a value that never occurs': () => ({
      ...all,
      addresses: [],
      topics: [[topicOf(`${random(1e9)}`.padStart(40, 'e'))]],
    }),
    'everything in 100 blocks': () => ({ ...some(100), ...none }),
  }
  const run = async (make: () => SearchRequest) => {
    const answers = await readers.search({ limit: 10_000, ...make() })
    if (answers.length === 0) throw new Error('the index cannot be searched')
    return answers.reduce((sum, { count }) => sum + count, 0)
  }
  const makers = Object.values(kinds)
  // Other threads start when all are busy, and loading the sources takes a while.
  for (const warm = performance.now() + WARM_UP; performance.now() < warm;)
    await Promise.all(makers.map(run))
  for (const [name, make] of Object.entries(kinds)) {
    let rows = 0
    const one = async () => {
      const started = performance.now()
      rows += Math.min(await run(make), 10_000)
      return performance.now() - started
    }
    await one()
    rows = 0
    const alone: number[] = []
    for (let round = 0; round < ROUNDS; round++) alone.push(await one())
    const mean = Math.round(rows / ROUNDS)
    const together: number[] = []
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let round = 0; round < ROUNDS / 8; round++) together.push(await one())
      }),
    )
    table.push([name, mean, ...percentiles(alone), ...percentiles(together)])
  }
  console.log(table.toString())
  await besides((round) => run(makers[round % makers.length] as () => SearchRequest))
  console.log(await memory())
  await readers.stop()
}

/** The p99 of short requests to the main thread, alone and while eight searches of all kinds run. */
async function besides(search: (round: number) => Promise<unknown>): Promise<void> {
  const server = createServer((_, response) => {
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const load = { url, bodies: ['{}'], connections: 8, seconds: 5 }
  const client = startLoad()
  try {
    await client.run({ ...load, seconds: 1 })
    const alone = await client.run(load)
    const over = new AbortController()
    let searches = 0
    const searching = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!over.signal.aborted) await search(searches++)
      }),
    )
    const beside = await client.run(load)
    over.abort()
    await searching
    const table = new Table({ head: ['short requests', 'p99 ms', 'requests/s', 'searches/s'] })
    table.push(['alone', alone.p99, Math.round(alone.perSecond), ''])
    table.push([
      'beside 8 searches',
      beside.p99,
      Math.round(beside.perSecond),
      Math.round(searches / load.seconds),
    ])
    console.log(table.toString())
  } finally {
    endAll()
    server.closeAllConnections()
    server.close()
  }
}

/** Memory of this process, and how much of it is not pages of the index file. */
async function memory(): Promise<string> {
  const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const own = /RssAnon:\s+(\d+) kB/.exec(status)?.[1]
  return `memory ${mebibytes(process.memoryUsage.rss())}${own === undefined ? '' : `, ${mebibytes(Number(own) * 1024)} of it without the index file`}`
}

function percentiles(times: number[]): string[] {
  const sorted = times.toSorted((a, b) => a - b)
  return [0.5, 0.99].map((part) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1),
  )
}

function rate(count: number, milliseconds: number): number {
  return Math.round((count / milliseconds) * 1000)
}
