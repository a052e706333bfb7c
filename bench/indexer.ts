// Sends the requests of subsquid, for blocks that the gateway has not read: ten consecutive blocks without transactions in a batch, several batches at
// once, then all logs of the ten. Next to
//   node    the node's own JSON-RPC
//
//   npm run build && NATIVE_URL=http://127.0.0.1:8090 NATIVE_RPC_URL=http://127.0.0.1:8545/jsonrpc npx tsx bench/indexer.ts
//   NATIVE_GRPC=127.0.0.1:50051 adds a gateway that reads over gRPC; BENCH_INDEX=… one with this log index
//   NATIVE_PID=… shows the processor time of the node
//   BENCH_OTHER=/path/to/dist/main.js compares another build
//   BENCH_FROM=1 BENCH_TO=2490 BENCH_ROUNDS=3
// The gateways keep no blocks (--cache-bytes 0), so every round is cold. All take turns.
import { deepStrictEqual } from 'node:assert'

import Table from 'cli-table3'
import { Pool } from 'undici'

import { cpuTime, endAll, startGateway } from './processes.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const FROM = Number(process.env['BENCH_FROM'] ?? 1)
const TO = Number(process.env['BENCH_TO'] ?? 2_490)
const upstream = process.env['NATIVE_URL'] ?? 'http://127.0.0.1:8090'
const rpcUrl = process.env['NATIVE_RPC_URL'] ?? 'http://127.0.0.1:8545/jsonrpc'
const grpc = process.env['NATIVE_GRPC']
const index = process.env['BENCH_INDEX']
const other = process.env['BENCH_OTHER']
const nodePid =
  process.env['NATIVE_PID'] === undefined ? undefined : Number(process.env['NATIVE_PID'])

/** Blocks of a batch, and batches in flight. */
const BATCH = 10
const IN_FLIGHT = 5

/** Connections of each of up to four gateways: the node accepts 50. */
const SOCKETS = 11

type Target = { name: string; pid?: number | undefined; url: string }
type Run = { ms: number; own: number | undefined; node: number | undefined }

const pools = new Map<string, Pool>()

try {
  const targets = await startTargets()
  await compareAnswers(targets)
  const runs = new Map<string, Run[]>(targets.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const target of targets) runs.get(target.name)?.push(await run(target))
  const table = new Table({ head: ['', 'ms', 'gateway CPU ms', 'node CPU ms'] })
  for (const [name, list] of runs)
    table.push([
      name,
      ...(['ms', 'own', 'node'] as const).map((key) => median(list.map((one) => one[key]))),
    ])
  console.log(table.toString())
} finally {
  endAll()
  await Promise.all([...pools.values()].map((pool) => pool.destroy()))
}

async function startTargets(): Promise<Target[]> {
  const solidity = new URL(upstream)
  solidity.port = String(Number(solidity.port) + 1)
  const flags = [`--upstream=${upstream}`, `--upstream-solidity=${solidity.href}`]
  const setups: Record<string, string[]> = {
    HTTP: [],
    ...(grpc !== undefined && { gRPC: [`--upstream-grpc=${grpc}`] }),
  }
  const targets: Target[] = [{ name: 'node’s JSON-RPC', url: rpcUrl }]
  for (const [name, more] of Object.entries(setups))
    for (const [build, main] of [['', undefined] as const, ['other build, ', other] as const]) {
      if (build !== '' && main === undefined) continue
      const own = ['--cache-bytes=0', `--upstream-sockets=${SOCKETS}`]
      const given = [...flags, ...more, ...own, ...(index ? [`--index=${index}`] : [])]
      targets.push({ name: build + name, ...(await startGateway(given, main)) })
    }
  return targets
}

/** The first batch of all gateways must be the same. */
async function compareAnswers([, ...gateways]: Target[]): Promise<void> {
  const answers = await Promise.all(gateways.map(({ url }) => ask(url, batchOf(TO - BATCH + 1))))
  for (const answer of answers) deepStrictEqual(JSON.parse(answer), JSON.parse(answers[0] ?? ''))
}

async function run({ pid, url }: Target): Promise<Run> {
  const before = [cpuTime(pid), cpuTime(nodePid)]
  const started = performance.now()
  let next = FROM
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next <= TO) {
        const from = next
        next += BATCH
        check(await ask(url, batchOf(from)))
        check(await ask(url, logsOf(from)))
      }
    }),
  )
  const ms = performance.now() - started
  const after = [cpuTime(pid), cpuTime(nodePid)]
  const [own, node] = after.map((time, at) => {
    const since = before[at]
    return time === undefined || since === undefined ? undefined : (time - since) / 1_000
  })
  return { ms, own, node }
}

function batchOf(from: number): string {
  const calls = Array.from({ length: BATCH }, (_, offset) => ({
    method: 'eth_getBlockByNumber',
    params: [hex(from + offset), false],
    id: from + offset,
    jsonrpc: '2.0',
  }))
  return JSON.stringify(calls)
}

function logsOf(from: number): string {
  const params = [{ fromBlock: hex(from), toBlock: hex(from + BATCH - 1) }]
  return JSON.stringify({ id: 1, jsonrpc: '2.0', method: 'eth_getLogs', params })
}

async function ask(url: string, body: string): Promise<string> {
  const { origin, pathname } = new URL(url)
  let pool = pools.get(origin)
  if (!pool) pools.set(origin, (pool = new Pool(origin, { connections: IN_FLIGHT })))
  const headers = { 'content-type': 'application/json' }
  const response = await pool.request({ method: 'POST', path: pathname, headers, body })
  return response.body.text()
}

function check(answer: string): void {
  if (answer.includes('"error"') || answer.includes('"result":null'))
    throw new Error(answer.slice(Math.max(0, answer.indexOf(`"error"`) - 100)).slice(0, 500))
}

function median(values: (number | undefined)[]): string {
  const sorted = values.filter((value) => value !== undefined).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]?.toFixed(0) ?? ''
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
