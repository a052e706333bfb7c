// eth_getLogs of a real chain: the gateway with a log index, without one, with the node's own JSON-RPC as a hint, and that JSON-RPC itself.
//
//   npm run build && NATIVE_URL=http://127.0.0.1:9090 NATIVE_RPC_URL=http://127.0.0.1:9545/jsonrpc npx tsx bench/indexChain.ts
//   BENCH_ROUNDS=10   BENCH_INDEX=DIR keeps the index
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import Table from 'cli-table3'

import { endAll, startGateway } from './processes.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 10)
const upstream = process.env['NATIVE_URL'] ?? 'http://127.0.0.1:9090'
const rpcUrl = process.env['NATIVE_RPC_URL'] ?? 'http://127.0.0.1:9545/jsonrpc'
const directory = process.env['BENCH_INDEX'] ?? mkdtempSync(join(tmpdir(), 'ethgate-bench-index-'))
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Before the node has answered. */
const NOTHING = { state: 'starting', covered: [], logs: 0, bytes: 0 }

type Log = { address: string; topics: string[] }

try {
  const solidity = new URL(upstream)
  solidity.port = String(Number(solidity.port) + 1)
  const flags = ['--upstream', upstream, '--upstream-solidity', solidity.href]
  const indexed = await startGateway([
    ...flags,
    '--index',
    directory,
    '--index-from',
    '0',
    '--index-rate',
    '5000',
  ])
  const started = performance.now()
  const before = await coverage(indexed.url)
  let now = before
  while (now.state !== 'following') {
    await sleep(500)
    now = await coverage(indexed.url)
  }
  const seconds = (performance.now() - started) / 1000
  console.log(
    `filled ${now.blocks - before.blocks} blocks, ${now.logs - before.logs} logs in ${seconds.toFixed(1)} s; ${(now.bytes / now.logs).toFixed(0)} bytes a log on disk`,
  )

  const top = now.blocks - 1
  const sample = (await rpc(rpcUrl, { fromBlock: hex(top - 500), toBlock: hex(top) })) as Log[]
  const rare = leastOf(sample)
  const busy = sample.find(({ topics }) => topics[0] === TRANSFER)
  const searches: Record<string, object> = {
    'one contract, 5,000 blocks': { address: rare, fromBlock: hex(top - 4_999), toBlock: hex(top) },
    'Transfer to one account, 5,000 blocks': {
      fromBlock: hex(top - 4_999),
      toBlock: hex(top),
      topics: [TRANSFER, null, busy?.topics[2] ?? null],
    },
    'a topic that never occurs, 5,000 blocks': {
      fromBlock: hex(top - 4_999),
      toBlock: hex(top),
      topics: [`0x${'ee'.repeat(32)}`],
    },
    'everything in 50 blocks': { fromBlock: hex(top - 49), toBlock: hex(top) },
  }
  const table = new Table({
    head: ['median ms', 'index', 'node’s JSON-RPC', 'hints, cold', 'no index, cold'],
  })
  for (const [name, filter] of Object.entries(searches)) {
    const hints = await startGateway([...flags, '--upstream-rpc', rpcUrl])
    const plain = await startGateway(flags)
    const times = [
      await median(indexed.url, filter, ROUNDS),
      await median(rpcUrl, filter, ROUNDS),
      // The first search of a gateway; later ones have the blocks.
      await median(hints.url, filter, 1),
      await median(plain.url, filter, 1),
    ]
    table.push([name, ...times.map((time) => time.toFixed(1))])
  }
  console.log(table.toString())
} finally {
  endAll()
}

async function coverage(url: string) {
  const { index = NOTHING } = (await (await fetch(new URL('/health', url))).json()) as {
    index?: { state: string; covered: { from: number; to: number }[]; logs: number; bytes: number }
  }
  const blocks = index.covered.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  return { ...index, blocks }
}

async function rpc(url: string, filter: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }),
  })
  const { error, result } = (await response.json()) as {
    error?: { message: string }
    result: unknown
  }
  if (error) throw new Error(`${url}: ${error.message}`)
  return result
}

async function median(url: string, filter: object, rounds: number): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    await rpc(url, filter)
    times.push(performance.now() - started)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}

/** The contract with the fewest logs. */
function leastOf(logs: readonly Log[]): string {
  const counts = new Map<string, number>()
  for (const { address } of logs) counts.set(address, (counts.get(address) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => a - b)[0]?.[0] ?? `0x${'00'.repeat(20)}`
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
