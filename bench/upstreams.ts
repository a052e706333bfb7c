// The CPU time of a call through the pool compared with a direct call, and the throughput with a second node. In one process, in rounds
// that alternate, so that drift of the machine hits all alike:
//
//   npx tsx bench/upstreams.ts [overhead|throughput]
//   BENCH_SECONDS=2 BENCH_ROUNDS=5
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'

import { createNodeClient, type NativeClient } from '../src/native/client.ts'
import { createUpstreamPool, type UpstreamPool } from '../src/native/pool/pool.ts'
import { createSingleUpstream } from '../src/native/pool/single.ts'
import type { Upstream } from '../src/native/pool/upstream.ts'
import { createPoolTransport } from '../src/native/transport.ts'

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 2)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
/** The rate limit of a node with the default configuration: calls a second for each operation. */
const SHIPPED = 1_000
const wanted = process.argv.slice(2)
const wants = (part: string) => wanted.length === 0 || wanted.includes(part)

const ADDRESS = `41${'33'.repeat(20)}`
let salt = 0

if (wants('overhead')) await overhead()
if (wants('throughput')) await throughput()
process.exit(0)

async function overhead() {
  const [a, b] = [await startNode(), await startNode()]
  const rows = await compare(16, {
    'one node, directly': createPoolTransport({ upstream: a }),
    'one node, watched': knowing(createSingleUpstream({ upstream: upstreamAt(a) })),
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
      cpu.toFixed(0),
      `${((cpu / (direct?.cpu ?? 1)) * 100).toFixed(1)} %`,
    ])
  console.log(table.toString())
}

async function throughput() {
  const [a, b] = [await startNode(SHIPPED), await startNode(SHIPPED)]
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

/** Tells it the newest block, as a gateway does, so that it knows the chain of each answer. */
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

async function startNode(rate = 0): Promise<string> {
  const file = fileURLToPath(new URL('upstreamsNode.mjs', import.meta.url))
  const child = fork(file, [String(rate)])
  process.on('exit', () => child.kill())
  const [port] = (await once(child, 'message')) as [number]
  return `http://127.0.0.1:${port}`
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

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
