// Filter polls a second with filters in memory, in Redis and in a Cluster, what they cost Redis, and the calls of replicas to
// their node:
//
//   npm run build && npx tsx bench/filters.ts [polls] [calls]
//   BENCH_SECONDS=5
//   BENCH_MAIN=…/dist/main.js measures the polls of another version
import { setTimeout as sleep } from 'node:timers/promises'

import Table from 'cli-table3'
import { Redis } from 'ioredis'

import { createScriptedChain, type ScriptedChain } from '../test/support/chain.ts'
import { createClient } from '../test/support/client.ts'
import { startRedis } from '../test/support/redis.ts'
import { startCluster } from '../test/support/redisEngines.ts'
import { endAll, startGateway, startLoad } from './processes.ts'

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5)
const FILTERS = 100
const MINUTE = 60_000
const SLOT = 3_000
const wanted = process.argv.slice(2)
const wants = (part: string) => wanted.length === 0 || wanted.includes(part)

const log = { address: '33'.repeat(20), topics: ['aa'.repeat(32)] }
const chain = createScriptedChain()
const node = await chain.listen()
const redis = await startRedis({ durable: false })

try {
  if (wants('polls')) await polls()
  if (wants('calls')) await calls()
} finally {
  endAll()
  await redis.close()
  await node.close()
}

/** 100 filters polled over 32 connections, while a block with ten logs arrives every slot. */
async function polls() {
  const table = new Table({
    head: ['store', 'polls/s', 'p99 ms', 'failed', 'scripts a poll', 'CPU of Redis a poll, µs'],
  })
  const cluster = await startCluster({ durable: false })
  const masters = cluster.masters.map((server) => new Redis(server.url))
  const single = new Redis(redis.url)
  for (const [name, flags, servers] of [
    ['memory', [], []],
    ['Redis', ['--redis', redis.url], [single]],
    ['Cluster of three', ['--redis', cluster.url], masters],
    ['Cluster, filters=spread', ['--redis', `${cluster.url}?filters=spread`], masters],
  ] as const) {
    const { url } = await startGateway(
      ['--upstream', node.url, ...flags],
      process.env['BENCH_MAIN'],
    )
    const client = createClient(url)
    await ready(client)
    const ids = await Promise.all(
      Array.from({ length: FILTERS }, () => client.rpc<string>('eth_newFilter', {})),
    )
    const bodies = ids.map((id) =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getFilterChanges', params: [id] }),
    )
    const stop = produce(chain, 10)
    const load = startLoad()
    await load.run({ url, bodies, seconds: 2 })
    const before = await Promise.all(servers.map(use))
    const { failed, p99, perSecond, requests } = await load.run({ url, bodies, seconds: SECONDS })
    const used = (await Promise.all(servers.map(use))).map(({ cpu, scripts }, index) => ({
      cpu: (cpu - (before[index]?.cpu ?? 0)) / requests,
      scripts: (scripts - (before[index]?.scripts ?? 0)) / requests,
    }))
    stop()
    const scripts = used.reduce((sum, server) => sum + server.scripts, 0)
    const cpu = used.map((server) => server.cpu.toFixed(1)).join(' + ')
    table.push([name, Math.round(perSecond), p99, failed, scripts.toFixed(2), cpu])
    endAll()
  }
  print(table)
  for (const connection of [single, ...masters]) connection.disconnect()
  await cluster.close()
}

/** What a server has done so far: microseconds of CPU time, and scripts. */
async function use(server: Redis): Promise<{ cpu: number; scripts: number }> {
  const text = (await server.info('cpu')) + (await server.info('commandstats'))
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0)
  return {
    cpu: 1e6 * (number(/used_cpu_sys:([\d.]+)/) + number(/used_cpu_user:([\d.]+)/)),
    scripts: number(/cmdstat_evalsha:calls=(\d+)/),
  }
}

/** Calls to the node in a minute of a chain with an empty block every 3 s. */
async function calls() {
  const table = new Table({ head: ['replicas', 'upstream calls a minute', 'a second'] })
  for (const replicas of [1, 3]) {
    const prefix = `calls${replicas}`
    const flags = ['--upstream', node.url, '--redis', redis.url, '--redis-prefix', prefix]
    const stop = produce(chain, 0)
    for (let count = 0; count < replicas; count++) {
      const { url } = await startGateway(flags)
      await ready(createClient(url))
    }
    // The poller needs a few blocks to learn when blocks arrive.
    await sleep(5 * SLOT)
    const before = chain.total()
    await sleep(MINUTE)
    const made = chain.total() - before
    stop()
    table.push([replicas, made, (made / 60).toFixed(2)])
    endAll()
    await sleep(1_000)
  }
  print(table)
}

/** Makes a block in every slot of 3 s, visible 200 ms later. Returns the function that stops it. */
function produce(chain: ScriptedChain, logs: number): () => void {
  let timer: NodeJS.Timeout
  const next = () => {
    const slot = Math.floor(Date.now() / SLOT) * SLOT
    timer = setTimeout(
      () => {
        chain.mine({ logs: Array.from({ length: logs }, () => [log]), timestamp: slot + SLOT })
        next()
      },
      slot + SLOT + 200 - Date.now(),
    )
  }
  next()
  return () => clearTimeout(timer)
}

async function ready(client: ReturnType<typeof createClient>) {
  for (;;) {
    const answer = await client.rpc('eth_blockNumber').catch(() => undefined)
    if (answer !== undefined) return
    await sleep(100)
  }
}

function print(table: InstanceType<typeof Table>) {
  console.log(table.toString())
}
