// Reads a thousand receipts, transactions, headers or full blocks of a thousand dense blocks (bench/denseNode.ts), each once, with a new
// gateway. Prints the bytes that the gateway keeps after a garbage collection, and its CPU time. The node is not a real one, so the time of
// an answer would say nothing.
//
//   npm run bench -- dense
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { cpuTime, endGateway, startGateway, track } from './processes.ts'

/** What the node says of itself. */
type Node = { url: string; grpcUrl: string; rpcUrl: string; hashes: string[]; transactions: number }

export async function benchDense(): Promise<void> {
  const file = fileURLToPath(new URL('denseNode.ts', import.meta.url))
  const child = track(fork(file, { execArgv: ['--import', 'tsx'] }))
  const [node] = (await once(child, 'message')) as [Node]
  const count = node.hashes.length
  console.log(
    `${count} blocks, ${node.transactions} transactions, load ${loadavg()[0]?.toFixed(1)}`,
  )
  const flags = [
    `--upstream=${node.url}`,
    `--upstream-solidity=${node.url}`,
    '--upstream-rate=unlimited',
    '--data-dir=none',
  ]
  const setups = {
    HTTP: [`--upstream-rpc=${node.rpcUrl}`, '--upstream-grpc=off'],
    gRPC: [`--upstream-grpc=${new URL(node.grpcUrl).host}`],
  }
  const header = (at: number) => ['eth_getBlockByNumber', `0x${(at + 1).toString(16)}`, false]
  const reads: [name: string, setup: keyof typeof setups, callOf: (at: number) => unknown[]][] = [
    ['receipts', 'HTTP', (at) => ['eth_getTransactionReceipt', node.hashes[at]]],
    ['receipts', 'gRPC', (at) => ['eth_getTransactionReceipt', node.hashes[at]]],
    ['transactions', 'gRPC', (at) => ['eth_getTransactionByHash', node.hashes[at]]],
    ['headers', 'gRPC', header],
    ['full blocks', 'gRPC', (at) => header(at).with(2, true)],
  ]
  for (const [name, setup, callOf] of reads) {
    const { memory, pid, url } = await startGateway([...flags, ...setups[setup]])
    // Reading the newest blocks takes a while.
    while (!(await fetch(`${url}/ready`)).ok) await sleep(100)
    const before = await memory()
    const busy = cpuTime(pid) ?? 0
    for (let at = 0; at < count; at++) await ask(url, callOf(at))
    const own = ((cpuTime(pid) ?? 0) - busy) / 1_000 / count
    const after = await memory()
    const kept = after.heapUsed + after.external - before.heapUsed - before.external
    const figures = [kept, before.rss, after.rss].map((bytes) => (bytes / 1_000_000).toFixed(0))
    console.log(
      `${count} ${name} over ${setup}: ${figures[0]} MB kept, process ${figures[1]} to ${figures[2]} MB, ${own.toFixed(2)} ms of the gateway each`,
    )
    await endGateway(pid)
  }
}

async function ask(url: string, [method, ...params]: unknown[]): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await (await fetch(url, { body, headers, method: 'POST' })).text()
  if (answer.includes('"error"') || answer.includes('"result":null'))
    throw new Error(answer.slice(0, 500))
}
