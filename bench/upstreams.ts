// The CPU time of a call through the pool compared with a direct call, and the throughput with a second node. In one process, in rounds
// that alternate, so that drift of the machine hits all alike:
//
//   npm run build && npx tsx bench/upstreams.ts [gateway|overhead|throughput]
//   BENCH_SECONDS=2 BENCH_ROUNDS=5
//   NATIVE_URLS='http://127.0.0.1:8090 http://127.0.0.1:8190' NATIVE_CONTRACT=<hex>   real nodes of one chain for `gateway`
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'
import { Pool } from 'undici'

import { endAll, startGateway } from '../drills/processes.ts'
import { CONTRACT } from '../drills/upstreams/chain.ts'
import { createNodeClient, type NativeClient } from '../src/native/client.ts'
import { createUpstreamPool, type UpstreamPool } from '../src/native/pool/pool.ts'
import { createSingleUpstream } from '../src/native/pool/single.ts'
import type { Upstream } from '../src/native/pool/upstream.ts'
import { createPoolTransport, type NativeTransport } from '../src/native/transport.ts'

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 2)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
/** The rate limit of a node with the default configuration: calls a second for each operation. */
const SHIPPED = 1_000
/** Calls in flight at a gateway. A node accepts 50 connections, and both gateways use the first one. */
const CLIENTS = 8
/** Calls of one round at a gateway. */
const COLD_CALLS = 4_000
const wanted = process.argv.slice(2)
const wants = (part: string) => wanted.length === 0 || wanted.includes(part)

const ADDRESS = `41${'33'.repeat(20)}`
let salt = 0

try {
  if (wants('gateway')) await gateway()
  if (wants('overhead')) await overhead()
  if (wants('throughput')) await throughput()
} finally {
  endAll()
}
process.exit(0)

/**
 * A whole gateway of one node and one of two, built: eth_call that only a node can answer. The nodes are fakes in one process, or
 * the real ones of NATIVE_URLS.
 */
async function gateway() {
  const { contract, end, urls } = await findNodes()
  // Without a limit on the rate: calls that wait for it come one by one, and each turn of the event loop does less.
  const flags = ['--log-level', 'error', '--upstream-rate', 'unlimited']
  const start = async (name: string, more: string[]) => ({
    ...(await startGateway({ flags: [...flags, ...more], upstream: urls[0] })),
    name,
    rounds: [] as Round[],
  })
  const gateways = [await start('one node', []), await start('two nodes', ['--upstream', urls[1]])]
  for (const one of gateways) await coldCalls(one.url, contract, COLD_CALLS)
  for (let round = 0; round < ROUNDS * 4; round++)
    for (const { pid, rounds, url } of gateways) {
      const before = processorTime(pid)
      const { p50, p99, perSecond } = await coldCalls(url, contract, COLD_CALLS / 2)
      const cpu = ((processorTime(pid) - before) / (COLD_CALLS / 2)) * 1_000
      rounds.push({ cpu, p50, p99, perSecond })
    }
  const table = new Table({
    head: ['cold eth_call at a gateway of', 'calls/s', 'p50 ms', 'p99 ms', 'µs of CPU a call'],
  })
  const [one, two] = gateways.map(({ name, rounds }) => {
    const of = (key: keyof Round) => median(rounds.map((round) => round[key]))
    const figures = { cpu: of('cpu'), p50: of('p50'), p99: of('p99'), perSecond: of('perSecond') }
    table.push([
      name,
      figures.perSecond.toFixed(0),
      figures.p50.toFixed(2),
      figures.p99.toFixed(2),
      figures.cpu.toFixed(0),
    ])
    return figures
  })
  if (one && two) {
    const against = (key: keyof Round) => `${((two[key] / one[key]) * 100).toFixed(1)} %`
    table.push([
      'two against one',
      against('perSecond'),
      against('p50'),
      against('p99'),
      against('cpu'),
    ])
  }
  console.log(table.toString())
  for (const one of gateways) await one.end()
  end()
}

/** Two nodes of one chain, and a contract there. */
async function findNodes(): Promise<{ contract: string; end: () => void; urls: [string, string] }> {
  const [first, second] = (process.env['NATIVE_URLS'] ?? '').split(' ')
  const contract = process.env['NATIVE_CONTRACT'] ?? CONTRACT
  if (first && second) return { contract, end() {}, urls: [first, second] }
  const nodes = fork(fileURLToPath(new URL('../drills/upstreams/nodes.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  })
  const [{ urls }] = (await once(nodes, 'message')) as [{ urls: [string, string] }]
  return { contract, end: () => void nodes.kill(), urls }
}

/** Times in milliseconds; `cpu` in microseconds for a call. */
type Round = { cpu: number; p50: number; p99: number; perSecond: number }

async function coldCalls(
  url: string,
  contract: string,
  calls: number,
): Promise<Omit<Round, 'cpu'>> {
  const pool = new Pool(url, { connections: CLIENTS })
  const began = performance.now()
  const times: number[] = []
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let call = 0; call < calls / CLIENTS; call++) {
        const started = performance.now()
        // A balance of a different account each time.
        const data = `0x70a08231${(salt++).toString(16).padStart(64, '0')}`
        const params = [{ to: `0x${contract}`, data }, 'latest']
        const { body } = await pool.request({
          path: '/',
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
        })
        const text = await body.text()
        if (!text.includes('"result"')) throw new Error(`eth_call was answered ${text}`)
        times.push(performance.now() - started)
      }
    }),
  )
  const seconds = (performance.now() - began) / 1_000
  await pool.close()
  const sorted = times.toSorted((left, right) => left - right)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
  return { p50: at(0.5), p99: at(0.99), perSecond: calls / seconds }
}

/** Milliseconds of processor time that a process has used (Linux). */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function overhead() {
  const [a, b] = [await startNode(), await startNode()]
  const rows = await compare(16, {
    'one node, directly': createPoolTransport({ upstream: a }),
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

/** Calls of two nodes without a pool: what more sockets and smaller batches of answers cost. */
function inTurn(urls: string[]): NativeTransport {
  const transports = urls.map((upstream) => createPoolTransport({ upstream }))
  let calls = 0
  return {
    send: (...call) => (transports[calls++ % 2] as NativeTransport).send(...call),
    async close() {
      await Promise.all(transports.map((transport) => transport.close()))
    },
  }
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
