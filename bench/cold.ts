// Cold reads: what no client has read before, through a gateway, from the node's own JSON-RPC, and through a bare node:http server that passes
// each request on to it: nothing in front of the node can be faster. Each round starts new gateways. So that their
// programs are compiled, as that of the node is, they first answer requests of each kind about other blocks. Then all take turns with the
// same requests, in another order each round. A figure is the median of the rounds. Five rounds take about four minutes.
//
//   NATIVE_URL=http://127.0.0.1:8090 NATIVE_RPC_URL=http://127.0.0.1:8545/jsonrpc NATIVE_PID=… npm run bench -- cold
//   NATIVE_GRPC=127.0.0.1:50051   the gRPC interface; without it only a gateway over HTTP is measured
//   BENCH_DELAY=30                each call to the node takes so many milliseconds more, as to one that is far away. Only the rows that read one
//                                 thing after the other: their times, divided by the delay, are round trips
//   BENCH_STORE=/path   a store that has the chain (`ethgate serve --store /path --store-fill index --index … --index-from 0` fills one): a gateway reads from it
//   BENCH_DENSE=150               only blocks with at least so many transactions: an address of a chain that has some hundred of them. Adds the memory
//                                 that a gateway keeps of each block of which it answered one receipt
//   BENCH_ROUNDS=5 BENCH_ONLY=receipt   rounds, and the rows whose name contains a text
//   BENCH_OTHER=/path/to/dist/main.js   another build
// The chain needs some thousand blocks with transactions, and the node no rate limit. NATIVE_PID adds the processor time of the node.
import { cpus, loadavg } from 'node:os'

import Table from 'cli-table3'
import { Pool } from 'undici'

import { startDelay } from './delay.ts'
import { median } from './median.ts'
import { cpuTime, endGateway, type Memory, startBare, startGateway } from './processes.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const ONLY = process.env['BENCH_ONLY'] ?? ''
const nodePid = Number(process.env['NATIVE_PID'] ?? 0) || undefined

const DELAY = Number(process.env['BENCH_DELAY'] ?? 0)

const DENSE = Number(process.env['BENCH_DENSE'] ?? 0)

/** Single reads of one row and of its warm-up, and blocks of one row that reads a stretch, and of its warm-up. */
const READS = DELAY > 0 ? 40 : 150
const WARM_UP = DELAY > 0 ? 10 : 380
const STRETCH = DELAY > 0 ? 40 : 300

/** Rows that read a stretch. */
const STRETCH_ROWS = 5

/** Rows of single reads in blocks. */
const SINGLE_ROWS = 4

/** Connections of each of up to two gateways of each build: the node accepts 50. */
const SOCKETS = process.env['BENCH_OTHER'] === undefined ? 20 : 11

/** Blocks of a search for addresses. */
const LOG_RANGE = 50

/** Blocks from here on are read in stretches. The blocks below are for single reads. */
const STRETCHES_FROM = 3_800

type Call = { method: string; params: unknown[] }
/** A step is one exchange: a call or a batch. The steps of a task follow each other; tasks run at the same time. */
type Task = (Call | Call[])[]
type Row = { name: string; inFlight: number; tasks: Task[] }
type Target = { name: string; pid: number | undefined; url: string; memory?: () => Promise<Memory> }
type Figures = { ms: number; own: number; node: number }

/** What the chain holds, as the node's own JSON-RPC tells it. */
type Chain = {
  blocks: { number: number; hashes: string[] }[]
  accounts: string[]
  contracts: string[]
  token: string
}

export async function benchCold(): Promise<void> {
  const upstream = process.env['NATIVE_URL']
  const rpcUrl = process.env['NATIVE_RPC_URL']
  if (upstream === undefined || rpcUrl === undefined)
    throw new Error('cold needs a real node: NATIVE_URL and NATIVE_RPC_URL')
  const chain = await readChain(rpcUrl)
  const far = { upstream: await startDelay(upstream, DELAY), rpc: await startDelay(rpcUrl, DELAY) }
  const results = new Map<string, Map<string, Figures[]>>()
  console.log(
    `${cpus().length} cores, load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}, ${ROUNDS} rounds`,
  )
  for (let round = 0; round < ROUNDS; round++) {
    const targets = [
      { name: 'node', pid: nodePid, url: far.rpc },
      await startProxy(far.upstream, far.rpc),
      ...(await startGateways(far.upstream, far.rpc)),
    ]
    const rows = DENSE > 0 ? denseRowsOf : rowsOf
    for (const { inFlight, name, tasks } of rows(chain, round, true))
      if (name.includes(ONLY)) for (const { url } of targets) await run(url, tasks, inFlight)
    for (const [at, row] of rows(chain, round, false).entries()) {
      if (!row.name.includes(ONLY) || (DELAY > 0 && row.inFlight > 1)) continue
      const shift = (round + at) % targets.length
      for (const target of [...targets.slice(shift), ...targets.slice(0, shift)]) {
        const before = DENSE > 0 ? await target.memory?.() : undefined
        const figures = await measure(target, row)
        const after = before && (await target.memory?.())
        if (before && after)
          console.log(`${row.name}, ${target.name}: ${kilobytes(before, after, row)} KB a block`)
        const ofRow = results.get(row.name) ?? new Map<string, Figures[]>()
        results.set(row.name, ofRow.set(target.name, [...(ofRow.get(target.name) ?? []), figures]))
      }
    }
    for (const { name, pid } of targets) if (name !== 'node') await endGateway(pid)
    for (const pool of pools.values()) await pool.close()
    pools.clear()
  }
  print(results)
  console.log(
    `load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  )
}

function print(results: Map<string, Map<string, Figures[]>>): void {
  const names = [...(results.values().next().value?.keys() ?? [])]
    .filter((name) => name !== 'node')
    .toSorted()
  const table = new Table({
    style: { head: [], border: [], compact: true },
    head: [
      'cold, ms a read',
      'node',
      'node’s CPU',
      ...names.flatMap((name) => [name, '÷ node', 'CPU', 'node’s CPU', '÷ own']),
    ],
  })
  const of = (list: Figures[] | undefined, key: keyof Figures) =>
    median((list ?? []).map((figures) => figures[key]))
  for (const [row, figures] of results) {
    const own = figures.get('node')
    table.push([
      row,
      of(own, 'ms').toFixed(2),
      of(own, 'own').toFixed(2),
      ...names.flatMap((name) => {
        const list = figures.get(name)
        return [
          of(list, 'ms').toFixed(2),
          ratio(list, own, 'ms', 'ms'),
          of(list, 'own').toFixed(2),
          of(list, 'node').toFixed(2),
          ratio(list, own, 'node', 'own'),
        ]
      }),
    ])
  }
  console.log(table.toString())
}

/** The median of the ratios of the rounds. */
function ratio(
  ours: Figures[] = [],
  node: Figures[] = [],
  key: keyof Figures,
  of: keyof Figures,
): string {
  const all = ours.flatMap((round, at) => {
    const other = node[at]?.[of] ?? 0
    return other > 0 ? [round[key] / other] : []
  })
  return all.length === 0 ? '' : median(all).toFixed(2)
}

/** The limit of anything in front of the node: a bare server that passes each request on to the node's own JSON-RPC. */
async function startProxy(upstream: string, rpcUrl: string): Promise<Target> {
  const { pid, url } = await startBare(upstream, rpcUrl)
  return { name: 'bare proxy', pid, url: `${url}/rpc` }
}

async function startGateways(upstream: string, rpcUrl: string): Promise<Target[]> {
  const solidity = new URL(process.env['NATIVE_URL'] ?? '')
  solidity.port = String(Number(solidity.port) + 1)
  const flags = [
    `--upstream=${upstream}`,
    `--upstream-solidity=${await startDelay(solidity.href, DELAY)}`,
    `--upstream-rpc=${rpcUrl}`,
    '--upstream-rate=unlimited',
    '--data-dir=none',
    `--upstream-sockets=${SOCKETS}`,
  ]
  const address = process.env['NATIVE_GRPC']
  const grpc = address && new URL(await startDelay(`http://${address}`, DELAY)).host
  const store = process.env['BENCH_STORE']
  const setups = {
    HTTP: ['--upstream-grpc=off'],
    ...(grpc !== undefined && { gRPC: [`--upstream-grpc=${grpc}`] }),
    ...(store !== undefined && { store: ['--upstream-grpc=off', `--store=${store}`] }),
  }
  const builds = {
    '': undefined,
    ...(process.env['BENCH_OTHER'] !== undefined && {
      'other build, ': process.env['BENCH_OTHER'],
    }),
  }
  return Promise.all(
    Object.entries(setups).flatMap(([name, more]) =>
      Object.entries(builds).map(async ([build, main]) => ({
        name: build + name,
        ...(await startGateway([...flags, ...more], main)),
      })),
    ),
  )
}

async function measure({ name, pid, url }: Target, { inFlight, tasks }: Row): Promise<Figures> {
  const before = [cpuTime(pid), cpuTime(nodePid)]
  const started = performance.now()
  await run(url, tasks, inFlight)
  const ms = performance.now() - started
  const [own = 0, node = 0] = [cpuTime(pid), cpuTime(nodePid)].map(
    (time, at) => ((time ?? 0) - (before[at] ?? 0)) / 1_000,
  )
  return {
    ms: ms / tasks.length,
    own: own / tasks.length,
    node: (name === 'node' ? own : node) / tasks.length,
  }
}

function kilobytes(before: Memory, after: Memory, { tasks }: Row): string {
  const bytes = after.heapUsed + after.external - before.heapUsed - before.external
  return (bytes / tasks.length / 1_000).toFixed(0)
}

/** The requests of a round about blocks with many transactions, each of them for one row. */
function denseRowsOf({ blocks }: Chain, _round: number, isWarmUp: boolean): Row[] {
  const dense = shuffle(
    blocks.filter(({ hashes }) => hashes.length >= DENSE),
    generator(1),
  )
  const part = Math.floor(dense.length / 5)
  const row = (
    at: number,
    name: string,
    callOf: (block: Chain['blocks'][number]) => Call,
  ): Row => ({
    name: `${name}, one at a time`,
    inFlight: 1,
    tasks: dense
      .slice(part * (isWarmUp ? 4 : at), part * (isWarmUp ? 5 : at + 1))
      .map((block) => [callOf(block)]),
  })
  const late = ({ hashes }: Chain['blocks'][number]) => hashes[Math.floor(0.7 * hashes.length)]
  return [
    row(0, 'receipt', (block) => ({ method: 'eth_getTransactionReceipt', params: [late(block)] })),
    row(1, 'transaction by hash', (block) => ({
      method: 'eth_getTransactionByHash',
      params: [late(block)],
    })),
    row(2, 'header', ({ number }) => ({
      method: 'eth_getBlockByNumber',
      params: [hex(number), false],
    })),
    row(3, 'full block', ({ number }) => ({
      method: 'eth_getBlockByNumber',
      params: [hex(number), true],
    })),
  ]
}

/** The requests of a round. No block is read by two rows of a round. @param isWarmUp - those that are not measured */
function rowsOf(
  { accounts, blocks, contracts, token }: Chain,
  round: number,
  isWarmUp: boolean,
): Row[] {
  const singles = blocks.filter(
    ({ hashes, number }) => number < STRETCHES_FROM && hashes.length > 0,
  )
  const random = generator(round + 1)
  shuffle(singles, random)
  if (singles.length < SINGLE_ROWS * (READS + WARM_UP))
    throw new Error('the chain has too few blocks with transactions')
  // The warm-up takes from the other end.
  const take = <item>(list: item[], count: number) =>
    isWarmUp ? list.splice(-count) : list.splice(0, count)
  const hashes = () =>
    take(singles, isWarmUp ? WARM_UP : READS).map(
      ({ hashes }) => hashes[Math.floor(random() * hashes.length)] ?? '',
    )
  const people = shuffle([...accounts], random)
  const others = shuffle([...accounts], random)
  const codes = shuffle([...contracts], random)
  // The warm-up has the last stretches.
  const stretches =
    Math.floor(((blocks.at(-1)?.number ?? 0) - STRETCHES_FROM) / STRETCH) - STRETCH_ROWS
  let next = 0
  const stretch = (): number[] => {
    const at = isWarmUp ? stretches + next++ : (round + next++) % stretches
    return range(STRETCHES_FROM + at * STRETCH, STRETCHES_FROM + (at + 1) * STRETCH - 1)
  }
  const one = (method: string, ...params: unknown[]): Task => [{ method, params }]
  const block = (number: number, full: boolean): Call => ({
    method: 'eth_getBlockByNumber',
    params: [hex(number), full],
  })
  const logs = (from: number, to: number): Call => ({
    method: 'eth_getLogs',
    params: [{ fromBlock: hex(from), toBlock: hex(to) }],
  })
  const single = (name: string, list: () => string[], task: (item: string) => Task): Row[] =>
    [1, 8].map((inFlight) => ({
      name: `${name}, ${inFlight === 1 ? 'one at a time' : '8 at once'}`,
      inFlight,
      tasks: list().map(task),
    }))
  // Two rows and their warm-ups.
  const part = (list: string[]) => {
    const count = isWarmUp
      ? Math.min(WARM_UP, 0.375 * list.length)
      : Math.min(READS, list.length / 8)
    return () => take(list, Math.floor(count))
  }
  return [
    ...single('receipt', hashes, (hash) => one('eth_getTransactionReceipt', hash)),
    ...single('transaction by hash', hashes, (hash) => one('eth_getTransactionByHash', hash)),
    {
      name: 'headers in order, one at a time',
      inFlight: 1,
      tasks: stretch().map((number) => [block(number, false)]),
    },
    {
      name: 'full blocks, 8 at once',
      inFlight: 8,
      tasks: stretch().map((number) => [block(number, true)]),
    },
    ...single('balance', part(people), (account) => one('eth_getBalance', account, 'latest')),
    ...single('code', part(codes), (account) => one('eth_getCode', account, 'latest')),
    ...single('call', part(others), (account) =>
      one(
        'eth_call',
        { to: token, data: `0x70a08231${account.slice(2).padStart(64, '0')}` },
        'latest',
      ),
    ),
    {
      name: 'blocks and their receipts, 10 at once',
      inFlight: 10,
      tasks: stretch().map((number) => [
        block(number, true),
        ...(blocks[number]?.hashes ?? []).map((hash) => ({
          method: 'eth_getTransactionReceipt',
          params: [hash],
        })),
      ]),
    },
    {
      name: 'batches of 10 headers, logs by 20, 5 at once',
      inFlight: 5,
      tasks: pairs(stretch(), 20).map(([from, to]) => [
        ...pairs(range(from, to), 10).map(([from, to]) =>
          range(from, to).map((number) => block(number, false)),
        ),
        logs(from, to),
      ]),
    },
    {
      name: 'logs block by block, 16 at once',
      inFlight: 16,
      tasks: stretch().map((number) => [logs(number, number)]),
    },
  ]
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, offset) => from + offset)

/** The first and last number of each group. */
function pairs(numbers: number[], size: number): [number, number][] {
  const groups: [number, number][] = []
  for (let at = 0; at < numbers.length; at += size)
    groups.push([numbers[at] ?? 0, numbers[Math.min(at + size, numbers.length) - 1] ?? 0])
  return groups
}

async function run(url: string, tasks: readonly Task[], inFlight: number): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let task = tasks[next++]; task; task = tasks[next++])
        for (const step of task) check(await ask(url, bodyOf(step)))
    }),
  )
}

function bodyOf(step: Call | Call[]): string {
  const one = (call: Call, id: number) => ({ jsonrpc: '2.0', id, ...call })
  return JSON.stringify(Array.isArray(step) ? step.map(one) : one(step, 1))
}

const pools = new Map<string, Pool>()

async function ask(url: string, body: string): Promise<string> {
  const { origin, pathname } = new URL(url)
  let pool = pools.get(origin)
  if (!pool) pools.set(origin, (pool = new Pool(origin, { connections: 16 })))
  const headers = { 'content-type': 'application/json' }
  const request = { body, headers, method: 'POST', path: pathname } as const
  // The other side may close an idle connection at the same moment.
  const response = await pool.request(request).catch(() => pool.request(request))
  return response.body.text()
}

function check(answer: string): void {
  if (answer.includes('"error"') || answer.includes('"result":null'))
    throw new Error(answer.slice(0, 500))
}

async function readChain(url: string): Promise<Chain> {
  const result = async (method: string, params: unknown[]) =>
    (JSON.parse(await ask(url, bodyOf({ method, params }))) as { result: unknown }).result
  const head = Number(await result('eth_blockNumber', []))
  const accounts = new Set<string>()
  const called = new Map<string, number>()
  const blocks: Chain['blocks'] = []
  type Found = { transactions: { hash: string; from: string; to: string | null; input: string }[] }
  for (let number = 0; number <= head; number++) {
    const { transactions } = (await result('eth_getBlockByNumber', [hex(number), true])) as Found
    blocks.push({ number, hashes: number === 0 ? [] : transactions.map(({ hash }) => hash) })
    for (const { from, input, to } of transactions) {
      accounts.add(from)
      if (to === null) continue
      accounts.add(to)
      if (input.startsWith('0xa9059cbb')) {
        called.set(to, (called.get(to) ?? 0) + 1)
        accounts.add(`0x${input.slice(34, 74)}`)
      }
    }
  }
  // Contracts that other contracts made are seen in their logs.
  for (let from = 0; from < head; from += LOG_RANGE) {
    const range = { fromBlock: hex(from), toBlock: hex(Math.min(head, from + LOG_RANGE - 1)) }
    const logs = (await result('eth_getLogs', [range])) as { address: string }[] | undefined
    for (const { address } of logs ?? []) accounts.add(address)
  }
  const contracts: string[] = []
  for (const account of accounts)
    if ((await result('eth_getCode', [account, 'latest'])) !== '0x') contracts.push(account)
  const [token = ''] = [...called].toSorted(([, a], [, b]) => b - a)[0] ?? []
  return { accounts: [...accounts], blocks, contracts, token }
}

function shuffle<item>(list: item[], random: () => number): item[] {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[list[at], list[other]] = [list[other] as item, list[at] as item]
  }
  return list
}

/** The same numbers in each run. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
