// Comparisons in one run. Short rounds alternate, every second time in reverse order, and a comparison is the median of the ratios of
// rounds beside each other, so that changes of the machine's speed affect both sides. Below it is the range of the middle half:
//   hot    the gateway against a bare node:http server that sends the same bytes, and the node's own JSON-RPC; and with limits
//          and an API key against without both, in two processes and in one
//   memory the gateway's heap over 100,000 mixed requests
//
//   npm run bench [-- hot|memory …]
//   npm run bench -- cold       what nobody has read before, against the node's own JSON-RPC (bench/cold.ts)
//   npm run bench -- dense      a thousand blocks of 200 to 300 transactions, and the memory that they take (bench/dense.ts)
//   npm run bench -- workers    one and two workers (bench/workers.ts)
//   npm run bench -- mix        requests by weight, as clients send them (bench/mix.ts)
//   npm run bench -- sends      transfers that the gateway signs, from one account and fifty (bench/sends.ts)
//   npm run bench -- index      a log index of synthetic logs, by itself (bench/indexSynthetic.ts)
//   npm run bench -- devchain   the dev chain against anvil (bench/devchain.ts)
//   npm run bench -- start      from the command to the first answer, of the packed package (bench/start.ts)
//   npm run bench -- hardhat    the tests of a Hardhat project on the dev chain and on hardhat node (bench/hardhatSuite.ts)
//   NATIVE_URL=http://127.0.0.1:8090       a real node; without it the recorded one is replayed
//   NATIVE_SOLIDITY_URL=…                  its /walletsolidity, where that is not port 8091 beside port 8090
//   NATIVE_RPC_URL=http://127.0.0.1:8545/jsonrpc   its own JSON-RPC (start the node without its rate limit)
//   BENCH_OTHER=/path/to/dist/main.js   another build, compared in the rounds of hot by CPU time
//   BENCH_SECONDS=1 BENCH_ROUNDS=9   defaults of hot; workers: 3 and 3
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Table from 'cli-table3'

import { median } from './median.ts'
import {
  endAll,
  type Figures,
  type Load,
  type Memory,
  startBare,
  startGateway,
  startLoad,
  startReplay,
} from './processes.ts'
import { findRequests, type Requests } from './requests.ts'

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 1)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9)
const MIXED = 100_000
const rpcUrl = process.env['NATIVE_RPC_URL']
const otherBuild = process.env['BENCH_OTHER']
const wanted = process.argv.slice(2)
const wants = (part: string) => wanted.length === 0 || wanted.includes(part)

if (wanted.includes('devchain')) {
  await import('./devchain.ts')
  process.exit()
}

if (wanted.includes('cold')) {
  const { benchCold } = await import('./cold.ts')
  await benchCold()
  process.exit()
}

if (wanted.includes('dense')) {
  const { benchDense } = await import('./dense.ts')
  await benchDense()
  process.exit()
}

if (wanted.includes('sends')) {
  const { benchSends } = await import('./sends.ts')
  await benchSends({ other: otherBuild, rounds: ROUNDS, seconds: SECONDS })
  process.exit()
}

if (wanted.includes('start')) {
  const { benchStart } = await import('./start.ts')
  await benchStart()
  process.exit()
}

if (wanted.includes('hardhat')) {
  await import('./hardhatSuite.ts')
  process.exit()
}

if (wanted.includes('index')) {
  await import('./indexSynthetic.ts')
  process.exit()
}

if (wanted.includes('workers') || wanted.includes('mix')) {
  const { benchMix } = await import('./mix.ts')
  const { benchWorkers } = await import('./workers.ts')
  try {
    const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3)
    const seconds = Number(process.env['BENCH_SECONDS'] ?? 3)
    if (wanted.includes('workers')) await benchWorkers({ rounds, seconds })
    const isReal = process.env['NATIVE_URL'] !== undefined
    if (wanted.includes('mix'))
      await benchMix({ node: { ...(await findNode()), isReal }, rpcUrl, seconds })
  } finally {
    endAll()
  }
  process.exit()
}

try {
  const { solidityUrl, url: upstream } = await findNode()
  const flags = ['--upstream', upstream, '--upstream-solidity', solidityUrl]
  const gateway = await startGateway(flags)
  const bare = await startBare(upstream)
  const load = startLoad()
  const requests = await findRequests(gateway.url)

  if (wants('hot')) await hot(gateway)
  if (wants('memory')) await memory(gateway)

  /** CPU times depend less on what else the machine does than rates, but the kernel's part of them does. */
  async function hot({ pid, url }: Awaited<ReturnType<typeof startGateway>>) {
    const other = otherBuild === undefined ? undefined : await startGateway(flags, otherBuild)
    const { limited, unlimited } = await startLimited(flags)
    // All gateways then have read the same blocks: reading them leaves a larger heap.
    if (other) await findRequests(other.url)
    await findRequests(limited.url)
    const head = [
      'bytes',
      'gateway/s',
      'p99 ms',
      'bare/s',
      'to bare',
      'CPU µs',
      'to bare by CPU',
      'CPU µs with limits',
      'off to on',
      'in one process',
    ]
    const table = new Table({
      head: [
        'hot',
        ...head,
        ...(other ? ['other build’s CPU µs', 'other to this'] : []),
        ...(rpcUrl === undefined ? [] : ['node’s JSON-RPC/s', 'to node']),
      ],
    })
    for (const [name, body] of Object.entries(requests.hot)) {
      const key = encodeURIComponent(name)
      const bytes = new Uint8Array(await (await fetch(url, { method: 'POST', body })).arrayBuffer())
      await bare.put(key, bytes)
      const bodies = [body]
      const [ours, plain, withLimits, without, ...more] = await compare([
        { bodies, pid, url },
        { bodies, pid: bare.pid, url: `${bare.url}/${key}` },
        { bodies, ...limited },
        { bodies, ...unlimited },
        ...(other ? [{ bodies, pid: other.pid, url: other.url }] : []),
        ...(rpcUrl === undefined ? [] : [{ bodies, url: rpcUrl }]),
      ])
      const others = other ? more.slice(0, 1) : []
      const [node] = more.slice(others.length)
      table.push([
        name,
        bytes.length,
        ...columns(ours, plain),
        micros(ours),
        ratio(plain, ours, 'cpu'),
        micros(withLimits),
        ratio(ours, withLimits, 'cpu'),
        ratio(without, withLimits, 'cpu'),
        ...others.flatMap((rounds) => [micros(rounds), ratio(rounds, ours, 'cpu')]),
        ...(node ? [perSecond(node), ratio(ours, node, 'perSecond')] : []),
      ])
    }
    console.log(table.toString())
  }

  async function memory({ url, ...process }: Awaited<ReturnType<typeof startGateway>>) {
    const table = new Table({ head: ['memory, MiB', 'heap', 'external', 'RSS', 'failed'] })
    const bodies = mixed(requests)
    const warm = await load.run({ url, bodies, amount: MIXED / 5 })
    table.push(['warmed up', ...mebibytes(await process.memory()), warm.failed])
    for (let done = 0; done < MIXED; done += MIXED / 4) {
      const { failed } = await load.run({ url, bodies, amount: MIXED / 4 })
      table.push([`${done + MIXED / 4} requests`, ...mebibytes(await process.memory()), failed])
    }
    console.log(table.toString())
  }

  /** Warms each up, then runs them in turn. @returns the rounds of each */
  async function compare(loads: Load[]): Promise<Figures[][]> {
    const rounds: Figures[][] = loads.map(() => [])
    const order = [...loads.entries()]
    for (const one of loads) await load.run({ ...one, seconds: 2 })
    for (let round = 0; round < ROUNDS; round++)
      for (const [index, one] of round % 2 === 0 ? order : order.toReversed()) {
        const figures = await load.run({ ...one, seconds: SECONDS })
        if (figures.failed > 0) throw new Error(`${figures.failed} requests to ${one.url} failed`)
        rounds[index]?.push(figures)
      }
    return rounds
  }
} finally {
  endAll()
}

/**
 * A gateway with API keys: its address with a key that has limits, and the one without a key, which has none. Two processes of
 * one program differ by more than limits cost, so `hot` also compares the two addresses of this one.
 */
async function startLimited(
  flags: string[],
): Promise<Record<'limited' | 'unlimited', { pid: number | undefined; url: string }>> {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-bench-'))
  const hash = createHash('sha256').update('bench').digest('hex')
  const file = join(folder, 'keys.yaml')
  writeFileSync(
    file,
    `keys:\n  - {name: bench, sha256: ${hash}, rate: 1000000, concurrency: 1000}\n`,
  )
  process.on('exit', () => rmSync(folder, { recursive: true }))
  const { pid, url } = await startGateway([...flags, '--api-keys', file, '--data-dir', 'none'])
  return { limited: { pid, url: `${url}/k/bench` }, unlimited: { pid, url } }
}

async function findNode(): Promise<{ url: string; solidityUrl: string }> {
  const url = process.env['NATIVE_URL']
  if (url === undefined) return startReplay()
  const solidity = new URL(url)
  if (solidity.port === '8090') solidity.port = '8091'
  return { url, solidityUrl: process.env['NATIVE_SOLIDITY_URL'] ?? solidity.href }
}

/** Requests of clients, in turn: blocks, their logs, calls, and a few that fail. */
function mixed({ blocks, call, hot }: Requests): string[] {
  const ask = (method: string, params: unknown[]) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const { 'batch of 30': _batch, eth_getLogs: _large, ...small } = hot
  return [
    ...Object.values(small),
    ...blocks.flatMap(({ body, number }) => [
      body,
      ask('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]),
      ask('eth_getBlockReceipts', [`0x${number.toString(16)}`]),
    ]),
    ...(call ? [call.body] : []),
    ask('eth_getBalance', ['0x0000000000000000000000000000000000000001', 'latest']),
    ask('eth_nope', []),
    ask('eth_getBalance', ['junk']),
    `[${Object.values(small).join(',')}]`,
    '{',
  ]
}

function columns(ours: Figures[] | undefined, other: Figures[] | undefined) {
  const p99 = median((ours ?? []).map((round) => round.p99))
  return [perSecond(ours), p99, perSecond(other), ratio(ours, other, 'perSecond')]
}

/** Medians of the ratios of rounds beside each other, and the range of the middle half of these. */
function ratio(
  ours: Figures[] | undefined,
  others: Figures[] | undefined,
  key: 'cpu' | 'perSecond',
): string {
  const all = (ours ?? []).flatMap((round, index) => {
    const [figure, other] = [round[key], others?.[index]?.[key]]
    return figure && other ? [figure / other] : []
  })
  if (all.length === 0) return ''
  const sorted = all.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.round((sorted.length - 1) * part)] ?? 0).toFixed(2)
  return `${median(all).toFixed(3)}\n${at(0.25)}–${at(0.75)}`
}

function perSecond(rounds: Figures[] | undefined): string {
  return Math.round(median((rounds ?? []).map((round) => round.perSecond))).toLocaleString('en')
}

function micros(rounds: Figures[] | undefined): string {
  const times = (rounds ?? []).flatMap(({ cpu }) => cpu ?? [])
  return times.length === 0 ? '' : median(times).toFixed(1)
}

function mebibytes({ external, heapUsed, rss }: Memory): string[] {
  return [heapUsed, external, rss].map((bytes) => (bytes / 2 ** 20).toFixed(1))
}
