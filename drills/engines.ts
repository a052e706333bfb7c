import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import Table from 'cli-table3'
import { Redis } from 'ioredis'
import type { Hash } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

import { createDevChain } from '../src/devchain/index.ts'
import { createGateway } from '../src/gateway/gateway.ts'
import { createRedisLink, type RedisLink } from '../src/lib/redis.ts'
import type { TestRedis } from '../test/support/redis.ts'
import {
  enginesMissing,
  type RedisEngine,
  startCluster,
  startSentinel,
} from '../test/support/redisEngines.ts'
import { postgresFailover } from './postgres.ts'
import { print } from './print.ts'

const SENDERS = 4
const FILTERS = 6

/** An engine, and what happens to it under load. `tag` is a key of the gateways. */
type Drill = {
  name: string
  start: () => Promise<RedisEngine & { events: ((tag: string) => Promise<unknown>)[] }>
}

const DRILLS: Drill[] = [
  {
    name: 'three servers with Sentinel: the master killed, then started again',
    async start() {
      const engine = await startSentinel({ sentinels: 3, servers: 3 })
      return { ...engine, events: [async () => replace(await engine.master())] }
    },
  },
  ...[false, true].map((isSpread) => ({
    name: `Cluster of three masters with replicas${isSpread ? ', filters spread' : ''}: one killed and started again, then a slot moved`,
    async start() {
      const engine = await startCluster({ isSpread, replicas: true })
      const nodes = [...engine.masters, ...engine.replicas]
      return {
        ...engine,
        events: [
          async (tag: string) => replace((await ownerOf(nodes, tag)).owner),
          (tag: string) => moveSlot(nodes, tag),
        ],
      }
    },
  })),
]

/** The engines under failovers: `redis`, `postgres`, or both. @returns whether nothing was lost, repeated or wrong */
export async function engines(names: readonly string[]): Promise<boolean> {
  const wants = (name: string) => names.length === 0 || names.includes(name)
  const isRedisGood = !wants('redis') || (await redisFailovers())
  return (!wants('postgres') || (await postgresFailover())) && isRedisGood
}

/**
 * Two gateways on each engine, while clients send transactions of managed accounts and poll filters through both, and repeat
 * what fails. @returns whether no transaction and no block was lost or repeated, except where Redis lost an accepted write
 */
async function redisFailovers(): Promise<boolean> {
  if (enginesMissing) {
    console.log(`skipped: ${enginesMissing}`)
    return true
  }
  const table = new Table({
    head: [
      'engine',
      'sent',
      'lost',
      'repeated',
      'blocks of filters',
      'missing',
      'repeated',
      'failed calls',
      'longest pause s',
      'writes that Redis lost',
    ],
  })
  let isGood = true
  for (const drill of DRILLS) {
    const found = await run(drill)
    const { blocks, calls, lostByRedis, pause, sends } = found
    table.push([
      drill.name,
      sends.done,
      sends.lost,
      sends.repeated,
      blocks.seen,
      blocks.missing,
      blocks.repeated,
      calls,
      pause.toFixed(1),
      lostByRedis,
    ])
    const repeats = lostByRedis === 0 ? blocks.repeated : 0
    if (sends.lost + sends.repeated + blocks.missing + repeats > 0) isGood = false
  }
  print(table)
  return isGood
}

async function run({ name, start }: Drill) {
  process.stderr.write(`${name} …\n`)
  const engine = await start()
  const chain = await createDevChain({ mining: { blockTime: 300 } })
  chain.automine = false
  await chain.start()
  const redisPrefix = randomBytes(6).toString('hex')
  const gateways = await Promise.all(
    [1, 2].map(async () => {
      const gateway = createGateway({
        config: { port: 0, redis: engine.url, redisPrefix },
        keys: chain.accounts.map(({ key }) => key),
        own: { transport: chain.transport },
      })
      await gateway.start()
      await gateway.ready
      return gateway
    }),
  )
  const link = createRedisLink({
    prefix: `${redisPrefix}:${chain.chainId.toString(16)}`,
    url: engine.url,
  })
  let calls = 0
  let failed = 0
  let succeeded = performance.now()
  let pause = 0
  /** Calls the gateways in turn until one answers, as clients behind a load balancer do. */
  async function ask(method: string, ...params: unknown[]): Promise<unknown> {
    for (;;)
      try {
        const answer = await gateways[calls++ % 2]?.request({ method, params })
        pause = Math.max(pause, (performance.now() - succeeded) / 1_000)
        succeeded = performance.now()
        return answer
      } catch {
        failed++
        await sleep(50)
      }
  }
  const life = { over: false }
  const loops: Promise<unknown>[] = []
  const probe = watchLosses(link, life)
  const senders = chain.accounts.slice(0, SENDERS).map(({ key }) => {
    const account = privateKeyToAccount(`0x${key}`)
    const sender = { done: 0, to: `0x${randomBytes(20).toString('hex')}` as const }
    const send = async () => {
      while (!life.over) {
        const raw = await account.signTransaction({
          type: 'legacy',
          chainId: chain.chainId,
          gas: 21_000n,
          gasPrice: 1_000n,
          nonce: sender.done,
          to: sender.to,
          value: 1n,
        })
        await ask('eth_sendRawTransaction', raw)
        sender.done++
      }
    }
    loops.push(send())
    return sender
  })
  const pages: Hash[][] = []
  const poll = async () => {
    const id = await ask('eth_newBlockFilter')
    const seen: Hash[] = []
    pages.push(seen)
    while (!life.over || (await number()) > (await numberOf(seen.at(-1)))) {
      seen.push(...((await ask('eth_getFilterChanges', id)) as Hash[]))
      await sleep(10)
    }
  }
  const number = async () => (life.over ? lastBlock : Number(await ask('eth_blockNumber')))
  const numberOf = async (hash: Hash | undefined) =>
    hash === undefined
      ? -1
      : Number(((await ask('eth_getBlockByHash', hash, false)) as { number: string }).number)
  let lastBlock = 0
  for (let filter = 0; filter < FILTERS; filter++) loops.push(poll())
  try {
    await sleep(SETTLE_MS)
    for (const event of engine.events) {
      await event(link.key('probe'))
      await sleep(SETTLE_MS)
    }
    lastBlock = Number(await ask('eth_blockNumber'))
    life.over = true
    await Promise.all(loops)
    const sends = { done: 0, lost: 0, repeated: 0 }
    for (const { done, to } of senders) {
      const mined = await settled(
        async () => Number(await ask('eth_getBalance', to, 'latest')),
        done,
      )
      sends.done += done
      sends.lost += Math.max(0, done - mined)
      sends.repeated += Math.max(0, mined - done)
    }
    const blocks = { seen: 0, missing: 0, repeated: 0 }
    for (const seen of pages) {
      const from = await numberOf(seen[0])
      blocks.seen += seen.length
      blocks.repeated += seen.length - new Set(seen).size
      for (let height = from; height <= lastBlock; height++) {
        const block = await ask('eth_getBlockByNumber', `0x${height.toString(16)}`, false)
        if (!seen.includes((block as { hash: Hash }).hash)) blocks.missing++
      }
    }
    return { blocks, calls: failed, lostByRedis: await probe, pause, sends }
  } finally {
    life.over = true
    await Promise.allSettled(gateways.map((gateway) => gateway.stop()))
    await link.close()
    await chain.close()
    await engine.close()
  }
}

/** Milliseconds of load before and after each event. */
const SETTLE_MS = 4_000

/** Counts up in Redis without pause. Resolves, when the load is over, to the number of accepted writes that are gone. */
async function watchLosses(link: RedisLink, life: { over: boolean }): Promise<number> {
  let accepted = 0
  let lost = 0
  while (!life.over)
    try {
      const value = await link.run((client) => client.incr(link.key('probe')))
      if (value <= accepted) lost += accepted - value + 1
      accepted = value
    } catch {
      await sleep(20)
    }
  return lost
}

/** Reads a number that grows, until it is at least `wanted` and has not changed for a second. */
async function settled(read: () => Promise<number>, wanted: number): Promise<number> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const value = await read()
    await sleep(1_000)
    if ((value >= wanted && (await read()) === value) || performance.now() > deadline) return value
  }
}

/** Kills a master, and starts it again when another has its place. */
async function replace(master: TestRedis): Promise<void> {
  await master.kill()
  await sleep(SETTLE_MS)
  await master.start()
}

async function withNode<result>(
  node: TestRedis,
  use: (client: Redis) => Promise<result>,
): Promise<result> {
  const client = new Redis(node.url)
  try {
    return await use(client)
  } finally {
    client.disconnect()
  }
}

/** The slot of a key, its master, and another master. */
async function ownerOf(nodes: readonly TestRedis[], key: string) {
  return withNode(nodes.at(-1) as TestRedis, async (client) => {
    const slot = (await client.call('CLUSTER', 'KEYSLOT', key)) as number
    const ranges = (await client.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][]
    const isOwner = ([from, to]: [number, number, unknown]) => slot >= from && slot <= to
    const serverOf = (range: (typeof ranges)[number] | undefined) =>
      nodes.find(({ port }) => port === range?.[2][1]) as TestRedis
    const owner = serverOf(ranges.find(isOwner))
    return { owner, other: ranges.map(serverOf).find((one) => one !== owner) as TestRedis, slot }
  })
}

/** Moves the slot of a key to another master, key by key. */
async function moveSlot(nodes: readonly TestRedis[], key: string): Promise<void> {
  const { other, owner, slot } = await ownerOf(nodes, key)
  const idOf = (node: TestRedis) =>
    withNode(node, async (client) => String(await client.call('CLUSTER', 'MYID')))
  const [from, to] = [await idOf(owner), await idOf(other)]
  const setSlot = (node: TestRedis, ...state: string[]) =>
    withNode(node, (client) => client.call('CLUSTER', 'SETSLOT', slot, ...state))
  await setSlot(other, 'IMPORTING', from)
  await setSlot(owner, 'MIGRATING', to)
  await withNode(owner, async (client) => {
    for (;;) {
      const keys = (await client.call('CLUSTER', 'GETKEYSINSLOT', slot, 10)) as string[]
      if (keys.length === 0) return
      await client.call('MIGRATE', '127.0.0.1', other.port, '', 0, 5_000, 'KEYS', ...keys)
    }
  })
  await setSlot(other, 'NODE', to)
  await setSlot(owner, 'NODE', to)
}
