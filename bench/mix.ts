// Requests as public gateways report them, by weight: the gateway with one and two workers against a bare proxy in front of the
// node's own JSON-RPC, and against that itself. Rounds alternate.
//
//   npm run bench -- mix
//   NATIVE_URL=http://127.0.0.1:8090       a real node; without it the recorded one is replayed, which has few different calls
//   NATIVE_RPC_URL=http://127.0.0.1:8545/jsonrpc   its own JSON-RPC (start the node without its rate limit)
//   BENCH_SECONDS=600                      seconds of the last run, whose memory is shown (10 for the others at most)
//   BENCH_CONNECTIONS='8 16 32 64'         a rate counts when its p99 is at most 50 ms
import Table from 'cli-table3'

import { plainServer, type Server, startGateways } from './machine.ts'
import { startBare } from './processes.ts'
import { findRequests, type Requests } from './requests.ts'
import { runWrk, SALT, wrkMissing } from './wrk.ts'

/** Calls of a hundred. The rest is one call by transaction hash and one for code. */
const WEIGHTS = {
  eth_call: 35,
  eth_blockNumber: 15,
  eth_getLogs: 10,
  eth_getBlockByNumber: 10,
  eth_chainId: 8,
  eth_getBalance: 6,
  eth_getTransactionReceipt: 6,
  eth_gasPrice: 4,
  eth_feeHistory: 2,
  eth_getFilterChanges: 2,
  eth_getTransactionByHash: 1,
  eth_getCode: 1,
} as const

/** The highest p99 of a rate that counts, milliseconds. */
const P99 = 50

/** Runs the mix and prints its table. */
export async function benchMix({ node, rpcUrl, seconds }: benchMix.Options): Promise<void> {
  const missing = wrkMissing()
  if (missing !== undefined) return console.log(`mix: skipped: ${missing}`)
  const sizes = (process.env['BENCH_CONNECTIONS'] ?? '8 16 32 64').split(' ').map(Number)
  const gateways = await startGateways(node.url, ['--upstream-solidity', node.solidityUrl])
  const requests = await findRequests(gateways.one.url)
  const servers: Server[] = []
  if (rpcUrl !== undefined) {
    const bare = await startBare(node.url, rpcUrl)
    servers.push(
      plainServer('the node itself', nodePid(), rpcUrl),
      plainServer('bare proxy', bare.pid, `${bare.url}/rpc`),
    )
  } else console.log('mix: without the node itself and the proxy: NATIVE_RPC_URL is not set')
  servers.push(gateways.one, gateways.two)

  const table = new Table({
    head: [
      'mix',
      `requests/s at p99 ≤ ${P99} ms`,
      'connections',
      'p99 ms',
      'CPU µs a request',
      'node calls a request',
      'memory before, MiB',
      `after ${seconds} s`,
    ],
  })
  for (const server of servers) {
    const bodies = await bodiesOf(requests, server.url, node.isReal)
    const short = Math.min(seconds, 10)
    const errors = await errorsOf(bodies, server.url)
    if (errors.length > 0) console.log(`${server.name} fails: ${errors.join(', ')}`)
    await runWrk({ bodies, connections: 16, seconds: short, url: server.url })
    let best = { connections: 0, p99: 0, perSecond: 0 }
    for (const connections of sizes) {
      const { p99, perSecond } = await runWrk({
        bodies,
        connections,
        seconds: short,
        url: server.url,
      })
      if (p99 <= P99 && perSecond > best.perSecond) best = { connections, p99, perSecond }
    }
    const before = { cpu: server.cpu(), calls: await server.nodeCalls(), memory: server.memory() }
    // The filter of the bodies has expired when runs take longer than its lifetime.
    const { failed, requests: count } = await runWrk({
      bodies: await bodiesOf(requests, server.url, node.isReal),
      connections: best.connections || 16,
      seconds,
      url: server.url,
    })
    if (failed > 0) console.log(`${failed} of ${count} requests to ${server.name} failed`)
    const [cpu, calls] = [server.cpu(), await server.nodeCalls()]
    table.push([
      server.name,
      ...(best.connections > 0
        ? [Math.round(best.perSecond), best.connections, best.p99.toFixed(1)]
        : ['none', '', '']),
      part(before.cpu, cpu, count, 0),
      part(before.calls, calls, count, 2),
      mebibytes(before.memory),
      mebibytes(server.memory()),
    ])
  }
  console.log(table.toString())
  await gateways.end()
}

export declare namespace benchMix {
  type Options = {
    /** @param isReal - it answers calls that are not recorded */
    node: { url: string; solidityUrl: string; isReal: boolean }
    rpcUrl: string | undefined
    seconds: number
  }
}

/** The process of the node, for its CPU time. */
function nodePid(): number | undefined {
  const pid = process.env['NATIVE_PID']
  return pid === undefined ? undefined : Number(pid)
}

function part(
  before: number | undefined,
  after: number | undefined,
  count: number,
  digits: number,
): string {
  return before === undefined || after === undefined
    ? ''
    : ((after - before) / count).toFixed(digits)
}

const mebibytes = (all: readonly number[]) => all.map((one) => one.toFixed(0)).join(', ')

/** The methods that a server answers with an error, each once. */
async function errorsOf(bodies: readonly string[], url: string): Promise<string[]> {
  const found = new Set<string>()
  for (const body of bodies) {
    const salted = body.replace(SALT, '0'.repeat(SALT.length))
    if ((await resultOf(url, salted)) === undefined)
      found.add((JSON.parse(body) as { method: string }).method)
  }
  return [...found]
}

/** A hundred bodies in a fixed order in which calls of one method are spread. */
async function bodiesOf(requests: Requests, url: string, isReal: boolean): Promise<string[]> {
  const { blocks, call, hot } = requests
  const hex = (number: number) => `0x${number.toString(16)}`
  const salted = (text: string) => (isReal ? text.replace(/0{16}(?="|$)/, SALT) : text)
  if (!call) throw new Error('the last blocks of this chain have no call of a contract')
  const [target] = (JSON.parse(call.body) as { params: [{ to: string; data: string }] }).params
  const account = salted(`0x${'0'.repeat(40)}`)
  const transaction = (JSON.parse(hot['receipt'] ?? '{}') as { params: string[] }).params[0]
  const envelope = { jsonrpc: '2.0', id: 1 }
  const filter = await resultOf(
    url,
    JSON.stringify({ ...envelope, method: 'eth_newBlockFilter', params: [] }),
  )
  const height = (index: number) => hex(blocks[index % blocks.length]?.number ?? 0)
  const params: Record<keyof typeof WEIGHTS, (index: number) => unknown[]> = {
    eth_call: () => [
      isReal ? { to: target.to, data: `0x70a08231${'0'.repeat(48)}${SALT}` } : target,
      'latest',
    ],
    eth_blockNumber: () => [],
    eth_getLogs: (index) => [{ fromBlock: height(index), toBlock: height(index) }],
    eth_getBlockByNumber: (index) => (index % 2 ? ['latest', false] : [height(index), true]),
    eth_chainId: () => [],
    eth_getBalance: () => [isReal ? account : `0x${'1'.padStart(40, '0')}`, 'latest'],
    eth_getTransactionReceipt: () => [transaction],
    eth_gasPrice: () => [],
    eth_feeHistory: () => ['0xa', 'latest', [50]],
    eth_getFilterChanges: () => [filter],
    eth_getTransactionByHash: () => [transaction],
    eth_getCode: () => [target.to, 'latest'],
  }
  const places = Object.entries(WEIGHTS).flatMap(([method, weight]) =>
    Array.from({ length: weight }, (_, index) => ({
      at: (index + 0.5) / weight,
      body: {
        ...envelope,
        method,
        params: params[method as keyof typeof WEIGHTS](index),
      },
    })),
  )
  return places.toSorted((a, b) => a.at - b.at).map(({ body }) => JSON.stringify(body))
}

/** The result of a call; undefined when it failed. */
async function resultOf(url: string, body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', body, headers })
  return ((await response.json()) as { result?: unknown }).result
}
