// eth_getLogs of one contract over 5,000 blocks that the gateway has not read, with the node's own JSON-RPC as a hint, next to
//   node    that JSON-RPC itself
//   floor   the outcomes of the transactions with matches, read over HTTP with 16 sockets and thrown away: what the node needs to deliver them
//
//   npm run build && NATIVE_URL=http://127.0.0.1:8090 NATIVE_RPC_URL=http://127.0.0.1:8545/jsonrpc npx tsx bench/coldSearch.ts
//   NATIVE_GRPC=127.0.0.1:50051 reads over gRPC
//   BENCH_ROUNDS=7
// The gateway keeps no logs and no blocks (--cache-bytes 0), so every round is cold. The three take turns. Before that the node and the
// gateway answer the same searches of other contracts, so that both run compiled code.
import Table from 'cli-table3'
import { Pool } from 'undici'

import { endAll, startGateway } from './processes.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)
const BLOCKS = 5_000
const SOCKETS = 16
/** Contracts that are searched before the measurement. */
const OTHERS = 20
/** A gateway answers no more rows than this, and neither does the node. */
const ROWS = 10_000
const upstream = process.env['NATIVE_URL'] ?? 'http://127.0.0.1:8090'
const rpcUrl = process.env['NATIVE_RPC_URL'] ?? 'http://127.0.0.1:8545/jsonrpc'

const grpc = process.env['NATIVE_GRPC']

type Log = { address: string; blockNumber: string; transactionHash: string }
type Search = { filter: object; blocks: number; rows: number; transactions: string[] }

const pools = new Map<string, Pool>()

try {
  const solidity = new URL(upstream)
  solidity.port = String(Number(solidity.port) + 1)
  const gateway = await startGateway([
    `--upstream=${upstream}`,
    `--upstream-solidity=${solidity.href}`,
    `--upstream-rpc=${rpcUrl}`,
    ...(grpc === undefined ? [] : [`--upstream-grpc=${grpc}`]),
    '--cache-bytes=0',
  ])
  const table = new Table({
    head: [
      'contract',
      'rows',
      'blocks',
      'MB',
      'node ms',
      'floor ms',
      'gateway ms',
      'to node',
      'to floor',
      'first ms',
    ],
  })
  const { others, searches } = await findSearches()
  for (const filter of others)
    for (const url of [rpcUrl, gateway.url]) await ask(url, request(filter))
  for (const [name, { blocks, filter, rows, transactions }] of Object.entries(searches)) {
    const body = request(filter)
    const times = { node: [] as number[], floor: [] as number[], gateway: [] as number[] }
    let bytes = 0
    for (let round = 0; round <= ROUNDS; round++) {
      const node = await timed(() => ask(rpcUrl, body))
      const floor = await timed(() => readOutcomes(transactions))
      const ours = await timed(() => ask(gateway.url, body))
      bytes = floor.result
      if (round === 0 && !sameRows(node.result, ours.result))
        throw new Error(`${name}: the gateway answers otherwise than the node`)
      times.node.push(node.milliseconds)
      times.floor.push(floor.milliseconds)
      times.gateway.push(ours.milliseconds)
    }
    const [first = 0] = times.gateway
    const [node, floor, ours] = [times.node, times.floor, times.gateway].map(median) as [
      number,
      number,
      number,
    ]
    table.push([
      name,
      rows,
      blocks,
      (bytes / 1e6).toFixed(1),
      ...[node, floor, ours].map((time) => time.toFixed(0)),
      (ours / node).toFixed(2),
      (ours / floor).toFixed(2),
      first.toFixed(0),
    ])
  }
  console.log(table.toString())
} finally {
  endAll()
  await Promise.all([...pools.values()].map((pool) => pool.destroy()))
}

/** The contract with the fewest logs, one in the middle, and the busiest whose logs fit into an answer; and searches of some others. */
async function findSearches(): Promise<{ others: object[]; searches: Record<string, Search> }> {
  const top = Number(
    JSON.parse(
      await ask(
        rpcUrl,
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
      ),
    ).result,
  )
  const range = { fromBlock: hex(top - BLOCKS + 1), toBlock: hex(top) }
  const counts = new Map<string, number>()
  for (const { address } of await allLogs(top - BLOCKS + 1, top))
    counts.set(address, (counts.get(address) ?? 0) + 1)
  // A contract of one log says little.
  const sorted = [...counts]
    .filter(([, count]) => count > 5 && count <= ROWS)
    .toSorted(([, a], [, b]) => a - b)
  const chosen = {
    'the rarest': sorted[0],
    'one in the middle': sorted[Math.floor(sorted.length / 2)],
    'the busiest': sorted.at(-1),
  }
  const searches: Record<string, Search> = {}
  for (const [name, found] of Object.entries(chosen)) {
    if (!found) continue
    const filter = { ...range, address: found[0] }
    const logs = rowsOf(await ask(rpcUrl, request(filter)))
    searches[name] = {
      filter,
      blocks: new Set(logs.map(({ blockNumber }) => blockNumber)).size,
      rows: logs.length,
      transactions: [...new Set(logs.map(({ transactionHash }) => transactionHash.slice(2)))],
    }
  }
  const taken = new Set(Object.values(chosen).map((found) => found?.[0]))
  const others = sorted
    .filter(([address]) => !taken.has(address))
    .slice(-OTHERS)
    .map(([address]) => ({ ...range, address }))
  return { others, searches }
}

/** The logs of a range that may have more than an answer holds. */
async function allLogs(from: number, to: number): Promise<Log[]> {
  const text = await ask(rpcUrl, request({ fromBlock: hex(from), toBlock: hex(to) }))
  if (!text.includes('"error"') || from === to) return text.includes('"error"') ? [] : rowsOf(text)
  const middle = Math.floor((from + to) / 2)
  return [...(await allLogs(from, middle)), ...(await allLogs(middle + 1, to))]
}

/** @returns the bytes that were read. */
async function readOutcomes(transactions: readonly string[]): Promise<number> {
  let next = 0
  let bytes = 0
  await Promise.all(
    Array.from({ length: SOCKETS }, async () => {
      while (next < transactions.length) {
        const body = JSON.stringify({ value: transactions[next++] })
        const response = await post(new URL('/wallet/gettransactioninfobyid', upstream).href, body)
        for await (const chunk of response.body) bytes += (chunk as Buffer).length
      }
    }),
  )
  return bytes
}

async function ask(url: string, body: string): Promise<string> {
  const response = await post(url, body)
  return response.body.text()
}

function post(url: string, body: string) {
  const { origin, pathname } = new URL(url)
  let pool = pools.get(origin)
  if (!pool) pools.set(origin, (pool = new Pool(origin, { connections: SOCKETS })))
  return pool.request({
    method: 'POST',
    path: pathname,
    headers: { 'content-type': 'application/json' },
    body,
  })
}

async function timed<result>(
  work: () => Promise<result>,
): Promise<{ milliseconds: number; result: result }> {
  const started = performance.now()
  const result = await work()
  return { milliseconds: performance.now() - started, result }
}

function request(filter: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] })
}

function rowsOf(text: string): Log[] {
  const { error, result } = JSON.parse(text) as { error?: { message: string }; result: Log[] }
  if (error) throw new Error(error.message)
  return result
}

function sameRows(a: string, b: string): boolean {
  // Nodes before 4.8.1 give no time of the block.
  const key = (text: string) =>
    JSON.stringify(
      rowsOf(text).map((row) =>
        Object.entries({ ...row, blockTimestamp: '' }).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
    )
  return key(a) === key(b)
}

function median(times: readonly number[]): number {
  return times.slice(1).toSorted((a, b) => a - b)[Math.floor((times.length - 1) / 2)] ?? 0
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
