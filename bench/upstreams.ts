// Measures the cost and the gain of two nodes, in alternating rounds, so that drift of the machine affects all equally:
//   gateway      gateways of one node and of two nodes, and one of another build
//   overhead     calls through the pool compared with direct calls, in one process
//   throughput   two nodes of limited rates against one
//
//   npm run build && npx tsx bench/upstreams.ts [gateway|overhead|throughput]
//   BENCH_SECONDS=2 BENCH_ROUNDS=5
//   BENCH_OTHER=/path/to/dist/main.js   another build for `gateway`, such as one from before the pool
//   NATIVE_URLS='http://127.0.0.1:8090 http://127.0.0.1:8190' NATIVE_CONTRACT=<hex>   real nodes of one chain for `gateway`
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'

import { endAll, track } from '../drills/processes.ts'
import { CONTRACT } from '../drills/upstreams/chain.ts'
import { createNodeClient, type NativeClient } from '../src/native/client.ts'
import { createUpstreamPool, type UpstreamPool } from '../src/native/pool/pool.ts'
import { createSingleUpstream } from '../src/native/pool/single.ts'
import { createHttpTransport, type NativeTransport } from '../src/native/transport/transport.ts'
import type { Upstream } from '../src/native/upstream.ts'
import { median } from './median.ts'
import { compareGateways } from './upstreamsGateway.ts'

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 2)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
/** The rate limit of a node with the default configuration: calls a second for each operation. */
const SHIPPED = 1_000
const wanted = process.argv.slice(2)
const wants = (part: string) => wanted.length === 0 || wanted.includes(part)

const ADDRESS = `41${'33'.repeat(20)}`
let salt = 0

try {
  if (wants('gateway'))
    await compareGateways({
      nodes: realNodes(),
      other: process.env['BENCH_OTHER'],
      rounds: ROUNDS * 4,
    })
  if (wants('overhead')) await overhead()
  if (wants('throughput')) await throughput()
} finally {
  endAll()
}
process.exit(0)

/** The nodes that the environment names. */
function realNodes() {
  const [first, second] = (process.env['NATIVE_URLS'] ?? '').split(' ')
  const contract = process.env['NATIVE_CONTRACT'] ?? CONTRACT
  return first && second ? { contract, end() {}, urls: [first, second] as const } : undefined
}

async function overhead() {
  const [a, b] = await startNodes()
  const rows = await compare(16, {
    'one node, directly': createHttpTransport({ upstream: a }),
    'one node, watched': knowing(createSingleUpstream({ upstream: upstreamAt(a) })),
    'two nodes, in turn': inTurn([a, b]),
    'two nodes, pool': knowing(createUpstreamPool({ upstreams: [upstreamAt(a), upstreamAt(b)] })),
  })
  const table = new Table({
    head: ['contract calls', 'calls/s', 'ms of CPU a 1,000 calls', 'against directly'],
  })
  const [direct] = rows
  for (const { cpu, name, perSecond } of rows)
    table.push([
      name,
      perSecond.toFixed(0),
      cpu.toFixed(1),
      `${((cpu / (direct?.cpu ?? 1)) * 100).toFixed(1)} %`,
    ])
  console.log(table.toString())
}

async function throughput() {
  const [a, b] = await startNodes(SHIPPED)
  const shipped = (wallet: string): Upstream => ({ ...upstreamAt(wallet), rate: undefined })
  const rows = await compare(64, {
    'one node': createSingleUpstream({ upstream: upstreamAt(a) }),
    'two nodes': createUpstreamPool({ upstreams: [shipped(a), shipped(b)] }),
  })
  const table = new Table({ head: [`nodes of ${SHIPPED} calls/s`, 'calls/s', 'against one'] })
  const [one] = rows
  for (const { name, perSecond } of rows)
    table.push([name, perSecond.toFixed(0), (perSecond / (one?.perSecond ?? 1)).toFixed(2)])
  console.log(table.toString())
}

/** Calls of two nodes without a pool. */
function inTurn(urls: string[]): NativeTransport {
  const transports = urls.map((upstream) => createHttpTransport({ upstream }))
  let calls = 0
  return {
    send: (...call) => (transports[calls++ % 2] as NativeTransport).send(...call),
    async close() {
      await Promise.all(transports.map((transport) => transport.close()))
    },
  }
}

/** Passes it the newest block, as a gateway does, so that it knows the chain of each answer. */
function knowing<pool extends Pick<UpstreamPool, 'setFloor'>>(pool: pool): pool {
  pool.setFloor({ hashAt: () => '0'.repeat(64), head: 0, solid: 0 })
  return pool
}

type Row = { name: string; perSecond: number; cpu: number }

/** The median of the rounds for each transport. */
async function compare(
  concurrency: number,
  transports: Record<string, createNodeClient.Options['transport']>,
): Promise<Row[]> {
  const clients = Object.entries(transports).map(([name, transport]) => ({
    name,
    native: createNodeClient({ transport }),
    rounds: [] as { perSecond: number; cpu: number }[],
  }))
  for (const { native } of clients) await run(native, concurrency, 1)
  for (let round = 0; round < ROUNDS; round++)
    for (const client of clients) client.rounds.push(await run(client.native, concurrency, SECONDS))
  return clients.map(({ name, rounds }) => ({
    name,
    cpu: median(rounds.map(({ cpu }) => cpu)),
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  }))
}

/** `cpu`: milliseconds of this process for 1,000 calls. On a shared machine that is steadier than the time that passes. */
async function run(native: NativeClient, concurrency: number, seconds: number) {
  const until = performance.now() + seconds * 1_000
  const before = process.cpuUsage()
  let calls = 0
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() < until) {
        const data = (salt++).toString(16).padStart(8, '0')
        await native.wallet.triggerConstantContract({
          owner_address: ADDRESS,
          contract_address: ADDRESS,
          data,
        })
        calls++
      }
    }),
  )
  const { system, user } = process.cpuUsage(before)
  return { cpu: (user + system) / calls, perSecond: calls / seconds }
}

/** Two nodes in one process: with a process for each, they would share the processors differently than one node does. */
async function startNodes(rate = 0): Promise<[string, string]> {
  const file = fileURLToPath(new URL('./upstreamsNode.mjs', import.meta.url))
  const child = track(fork(file, [String(rate)]))
  const [[first, second]] = (await once(child, 'message')) as [[number, number]]
  return [`http://127.0.0.1:${first}`, `http://127.0.0.1:${second}`]
}

function upstreamAt(wallet: string): Upstream {
  return {
    concurrency: 40,
    headers: {},
    name: new URL(wallet).host,
    rate: 'unlimited',
    solidity: wallet,
    tier: 0,
    timeout: 10_000,
    wallet,
    weight: 1,
  }
}
