// The speed of filling an index, compared with a plain loop of the same calls that reads the answers and discards them. Rounds alternate.
//
//   npm run build && NATIVE_URL=http://127.0.0.1:8090 npx tsx bench/indexFill.ts
//   NATIVE_GRPC=127.0.0.1:50051 fills over gRPC; the plain loop stays that over HTTP
//   BENCH_ROUNDS=3   BENCH_FROM=0 BENCH_TO=8511   BENCH_INDEX=postgres://… (emptied by you before each round; a new directory otherwise)
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'
import { Pool } from 'undici'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const upstream = process.env['NATIVE_URL'] ?? 'http://127.0.0.1:8090'
const grpc = process.env['NATIVE_GRPC']
const from = Number(process.env['BENCH_FROM'] ?? 0)
const to = Number(process.env['BENCH_TO'] ?? 8_511)
/** As many as the command has in flight. */
const CONCURRENCY = 8
/** Blocks of one call. */
const STEP = 100

type Outline = { block_header: { raw_data: { number?: number } }; transactions?: unknown[] }

const solidity = new URL(upstream)
solidity.port = String(Number(solidity.port) + 1)
const pool = new Pool(new URL(upstream).origin, { connections: CONCURRENCY })
const busy = await blocksWithTransactions()
const calls = Math.ceil((to - from + 1) / STEP) + busy.length
const table = new Table({ head: ['round', 'calls', 'plain loop s', 'fill s', 'share'] })
const shares: number[] = []
// The first round warms the node up.
for (let round = 0; round <= ROUNDS; round++) {
  const plain = await seconds(readPlainly)
  const filled = await seconds(fill)
  if (round === 0) continue
  shares.push(plain / filled)
  table.push([round, calls, plain.toFixed(1), filled.toFixed(1), (plain / filled).toFixed(2)])
}
console.log(table.toString())
console.log(
  `median share ${(shares.toSorted((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 0).toFixed(2)}`,
)
await pool.close()

/** Runs the command that fills an index, start of the process included. */
async function fill(): Promise<void> {
  const given = process.env['BENCH_INDEX']
  const directory = given ?? mkdtempSync(join(tmpdir(), 'ethgate-bench-fill-'))
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('../dist/main.js', import.meta.url)),
      'index',
      `--upstream=${upstream}`,
      `--upstream-solidity=${solidity.href}`,
      `--index=${directory}`,
      `--from=${from}`,
      `--to=${to}`,
      `--concurrency=${CONCURRENCY}`,
      '--index-rate=100000',
      ...(grpc === undefined ? [] : [`--upstream-grpc=${grpc}`]),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error('the index was not filled')
  if (given === undefined) rmSync(directory, { recursive: true })
}

/** The calls of filling, with nothing done to their answers. */
async function readPlainly(): Promise<void> {
  const ranges = Array.from({ length: Math.ceil((to - from + 1) / STEP) }, (_, step) => ({
    path: '/wallet/getblockbylimitnext',
    body: rangeAt(from + step * STEP),
  }))
  const outcomes = busy.map((num) => ({
    path: '/wallet/gettransactioninfobyblocknum',
    body: { num },
  }))
  // In the order of filling: the transaction infos of blocks follow the call that reads the blocks.
  const queue = [...ranges, ...outcomes].toSorted((a, b) => heightOf(a.body) - heightOf(b.body))
  let next = 0
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let call = queue[next++]; call; call = queue[next++]) {
        const { body } = await post(call.path, call.body)
        // By default it ends the connection after 128 KiB of a body.
        await body.dump({ limit: Number.MAX_SAFE_INTEGER })
      }
    }),
  )
}

async function blocksWithTransactions(): Promise<number[]> {
  const numbers: number[] = []
  for (let at = from; at <= to; at += STEP) {
    const { body } = await post('/wallet/getblockbylimitnext', rangeAt(at))
    const { block = [] } = (await body.json()) as { block?: Outline[] }
    for (const { block_header, transactions } of block)
      if (transactions && block_header.raw_data.number) numbers.push(block_header.raw_data.number)
  }
  return numbers
}

function rangeAt(at: number) {
  return { startNum: at, endNum: Math.min(to + 1, at + STEP) }
}

function heightOf(body: { num: number } | { startNum: number }): number {
  return 'num' in body ? body.num : body.startNum
}

function post(path: string, body: object) {
  return pool.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}
