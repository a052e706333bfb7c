// One and two workers, with reads from memory and with calls to the node. Rounds alternate, and the figures are medians.
//
//   npm run bench -- workers
//   BENCH_SECONDS=3 BENCH_ROUNDS=5 BENCH_CONNECTIONS=16
//
// The load generator and the nodes need CPU time too. So the table has two gains of two workers: the measured one, and the
// one that CPU times give where every worker has a core: twice the CPU time of a request with one worker, divided by that
// with two. The last line is what the machine itself gives: the gain of two processes that share nothing.
import Table from 'cli-table3'

import { plainServer, type Server, startGateways } from './machine.ts'
import { median } from './median.ts'
import { startBare, startReplay } from './processes.ts'
import { findRequests } from './requests.ts'
import { startNodes } from './upstreamsGateway.ts'
import { runWrk, SALT, type WrkFigures, wrkMissing } from './wrk.ts'

/** Compares them and prints a table for each kind of request. */
export async function benchWorkers({ rounds, seconds }: benchWorkers.Options): Promise<void> {
  const missing = wrkMissing()
  if (missing !== undefined) return console.log(`workers: skipped: ${missing}`)
  const connections = Number(process.env['BENCH_CONNECTIONS'] ?? 16)
  const run = { connections, rounds, seconds }

  const recorded = await startReplay()
  const hot = await startGateways(recorded.url, ['--upstream-solidity', recorded.solidityUrl])
  const bare = await startBare(recorded.url)
  const requests = await findRequests(hot.one.url)
  await findRequests(hot.two.url)
  const hotBodies: Record<string, string> = { ...requests.hot, [SMALL_READS]: smallReads() }
  for (const name of ['eth_blockNumber', 'full block', 'receipt', SMALL_READS]) {
    const body = hotBodies[name] ?? ''
    const key = encodeURIComponent(name)
    const response = await fetch(hot.one.url, { method: 'POST', body })
    await bare.put(key, new Uint8Array(await response.arrayBuffer()))
    const plain = plainServer('bare server', bare.pid, `${bare.url}/${key}`)
    await compare(name, [body], [plain, hot.alone, hot.one, hot.two], run)
  }
  await compareApart(SMALL_READS, hotBodies[SMALL_READS] ?? '', [hot.alone, hot.one], run)
  await hot.end()

  const { contract, end, urls } = await startNodes()
  const data = `0x70a08231${'0'.repeat(48)}${SALT}`
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_call' }
  const cold = JSON.stringify({ ...call, params: [{ to: `0x${contract}`, data }, 'latest'] })
  const gateways = await startGateways(urls[0], [])
  await compare('cold eth_call', [cold], [gateways.alone, gateways.one, gateways.two], run)
  await gateways.end()
  end()
}

export declare namespace benchWorkers {
  type Options = { rounds: number; seconds: number }
}

const SMALL_READS = 'batch of 100 small reads'

/** A batch whose answer takes the gateway much longer than `wrk`, so that the load leaves the workers nearly both cores. */
function smallReads(): string {
  const methods = ['eth_chainId', 'eth_blockNumber', 'eth_gasPrice', 'net_version']
  return JSON.stringify(
    Array.from({ length: 100 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: methods[id % methods.length],
      params: [],
    })),
  )
}

type Run = { connections: number; rounds: number; seconds: number }

type Round = WrkFigures & { cpu: number }

/** @param servers - the last two have one and two workers */
async function compare(
  title: string,
  bodies: string[],
  servers: readonly Server[],
  { connections, rounds, seconds }: Run,
): Promise<void> {
  const found = servers.map((): Round[] => [])
  for (let round = -3; round < rounds; round++)
    for (const [index, server] of servers.entries()) {
      const before = server.cpu() ?? 0
      const figures = await runWrk({ bodies, connections, seconds, url: server.url })
      if (figures.failed > 0) throw new Error(`${figures.failed} requests to ${server.name} failed`)
      const cpu = ((server.cpu() ?? 0) - before) / figures.requests
      // The first rounds warm it up: each worker compiles its code for itself.
      if (round >= 0) found[index]?.push({ ...figures, cpu })
    }
  const table = new Table({
    head: [title, 'requests/s', 'p99 ms', 'CPU µs a request', 'wrk’s CPU µs', 'cores, of wrk'],
  })
  const all = servers.map(({ name }, index) => {
    const of = (key: keyof Round) => median((found[index] ?? []).map((round) => round[key]))
    const [perSecond, cpu, own] = [of('perSecond'), of('cpu'), of('own')]
    const cores = [cpu, own].map((time) => ((time * perSecond) / 1e6).toFixed(2))
    const [p99, times] = [of('p99').toFixed(1), [cpu.toFixed(1), own.toFixed(1)]]
    table.push([name, Math.round(perSecond), p99, ...times, cores.join(', ')])
    return { cpu, perSecond }
  })
  const [one, two] = all.slice(-2)
  if (one && two) {
    const measured = (two.perSecond / one.perSecond).toFixed(2)
    table.push([
      'gain of two workers',
      `${measured} ×`,
      '',
      `${((2 * one.cpu) / two.cpu).toFixed(2)} ×`,
    ])
  }
  console.log(table.toString())
}

/**
 * The gain of two processes, each with half of the connections, over one with all of them. Workers cannot have more: the cores
 * of a machine share caches, memory and the load generator.
 */
async function compareApart(
  title: string,
  body: string,
  servers: readonly Server[],
  { connections, rounds, seconds }: Run,
): Promise<void> {
  const ask = ({ url }: Server, count: number) =>
    runWrk({ bodies: [body], connections: count, seconds, url })
  const gains: number[] = []
  for (let round = 0; round < rounds; round++) {
    let alone = 0
    for (const server of servers) alone += (await ask(server, connections)).perSecond
    const share = Math.ceil(connections / servers.length)
    const together = await Promise.all(servers.map((server) => ask(server, share)))
    const sum = together.reduce((total, { perSecond }) => total + perSecond, 0)
    gains.push(sum / (alone / servers.length))
  }
  console.log(`${title}: gain of two processes that share nothing ${median(gains).toFixed(2)} ×`)
}
