import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Hash } from 'viem'
import { afterAll, beforeAll, describe, expect, test as base } from 'vitest'

import type { RpcHeader, RpcLog } from '../../src/codec/types.ts'
import { createScriptedChain } from '../support/chain.ts'
import { commandFile } from '../support/cli.ts'
import { createClient } from '../support/client.ts'
import { explainSkip, redisServerMissing, startRedis, type TestRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

explainSkip(redisServerMissing)

const log = { address: '33'.repeat(20), topics: ['aa'.repeat(32)] }

/** Gateways in processes of their own, as an operator starts them, in front of one scripted chain. */
async function openReplicas(redisUrl: string) {
  const chain = createScriptedChain({ seed: randomUUID() })
  const node = await chain.listen()
  const args = ['--port', '0', '--upstream', node.url, '--redis', redisUrl]
  const prefix = ['--redis-prefix', randomUUID()]
  const processes = new Set<ChildProcess>()

  async function spawnGateway() {
    const child = spawn(process.execPath, [commandFile(), 'serve', ...args, ...prefix], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    processes.add(child)
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the gateway ended before it listened')))
      createInterface({ input: child.stdout }).on('line', (line) => {
        const { msg, url } = JSON.parse(line) as { msg: string; url?: string }
        if (msg === 'listening' && url) resolve(url)
      })
    })
    const client = createClient(url)
    const end = (signal: NodeJS.Signals) =>
      new Promise<void>((resolve) => {
        processes.delete(child)
        child.once('exit', () => resolve())
        child.kill(signal)
      })
    const health = async () =>
      (await (await fetch(`${url}/health`)).json()) as { head: { number: number; role: string } }
    await until(async () => expect((await health()).head.number).toBeGreaterThanOrEqual(0))
    return { ...client, end, health, signal: (signal: NodeJS.Signals) => child.kill(signal) }
  }

  return {
    chain,
    spawnGateway,
    synced: (gateways: readonly Pick<Client, 'rpc'>[]) =>
      until(async () => {
        for (const gateway of gateways)
          expect(await gateway.rpc('eth_getWork')).toContain(chain.head().hash)
      }),
    async close() {
      for (const child of processes) child.kill('SIGKILL')
      await node.close()
    },
  }
}

type Client = ReturnType<typeof createClient>
type Replicas = Awaited<ReturnType<typeof openReplicas>>
type Gateway = Awaited<ReturnType<Replicas['spawnGateway']>>

/** The one that leads, and the others. */
async function byRole(gateways: Gateway[]) {
  const roles = await Promise.all(gateways.map(async (one) => (await one.health()).head.role))
  return {
    leader: gateways[roles.indexOf('leader')] as Gateway,
    followers: gateways.filter((_, index) => roles[index] === 'follower'),
  }
}

let redis: TestRedis

const test = base.extend<{ replicas: Replicas }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads the required fixtures from the pattern
  replicas: async ({}, use) => {
    const replicas = await openReplicas(redis.url)
    await use(replicas)
    await replicas.close()
  },
})

// They wait for one another's leases: so they wait side by side.
const options = { concurrent: true }
describe.skipIf(redisServerMissing !== undefined)('gateway processes on one Redis', options, () => {
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())

  test('behavior: kill -9 in the middle of polling loses nothing and repeats at most the page that was being sent', async ({
    replicas: { chain, spawnGateway, synced },
  }) => {
    const gateways: [Gateway, Gateway] = await Promise.all([spawnGateway(), spawnGateway()])
    const id = await gateways[0].rpc<string>('eth_newFilter', {})
    const received: string[] = []
    /** The last logs from each gateway. */
    const lastPages = new Map<Gateway, string[]>()
    const failures = new Set<number | string | undefined>()
    const life = { stopped: false }

    async function poll(gateway: Gateway): Promise<string[]> {
      const logs = await gateway.rpc<RpcLog[]>('eth_getFilterChanges', id)
      return logs.map(({ blockHash, logIndex }) => `${blockHash}:${Number(logIndex)}`)
    }

    /** Polls one gateway after the other; what was received counts, what broke off does not. */
    async function client(offset: number) {
      for (let turn = offset; !life.stopped; turn++) {
        const gateway = gateways[turn % gateways.length] as Gateway
        const page = await poll(gateway).catch((error: { code?: number | string }) => {
          failures.add(error.code)
          return []
        })
        if (page.length > 0) lastPages.set(gateway, page)
        received.push(...page)
        await sleep(5)
      }
    }
    const clients = [client(0), client(1)]
    const mayRepeat = new Set<string>()
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 5; count++) {
        chain.mine({ logs: [[log], [log, log]] })
        await synced(gateways)
      }
      const victim = gateways[round % 2] as Gateway
      const dying = victim.end('SIGKILL')
      chain.mine({ logs: [[log]] })
      await dying
      // Its client may have these while the store does not know it yet.
      for (const name of lastPages.get(victim) ?? []) mayRepeat.add(name)
      gateways[round % 2] = await spawnGateway()
    }
    await synced(gateways)
    const expected = chain
      .canonical()
      .flatMap(({ hash, logs }) => logs.map((_, index) => `${hash}:${index}`))
    // The page of a killed replica is free after its lease.
    await until(() => expect(new Set(received).size).toBe(expected.length))
    life.stopped = true
    await Promise.all(clients)
    // Connections that broke, and a store or replica that says it is not ready.
    expect([...failures].filter((code) => typeof code === 'number' && code !== -32603)).toEqual([])
    // Any log that arrives now is a duplicate.
    for (const gateway of gateways) received.push(...(await poll(gateway)))
    const repeated = received.filter((name, index) => received.indexOf(name) < index)
    expect(repeated.filter((name) => !mayRepeat.has(name))).toEqual([])
    expect([...new Set(received)].toSorted()).toEqual(expected.toSorted())
  })

  test('behavior: the leader crashes, another leads, sockets miss nothing', async ({
    replicas: { chain, spawnGateway, synced },
  }) => {
    const gateways = [await spawnGateway(), await spawnGateway(), await spawnGateway()]
    const { followers, leader } = await byRole(gateways)
    const sockets = await Promise.all(followers.map((gateway) => gateway.socket()))
    const ids = await Promise.all(
      sockets.map((socket) => socket.rpc<string>('eth_subscribe', 'newHeads')),
    )
    const blocks = [chain.mine(), chain.mine()]
    await synced(gateways)
    await leader.end('SIGKILL')
    blocks.push(chain.mine(), chain.mine())
    await synced(followers)
    for (const [index, socket] of sockets.entries())
      await until(() =>
        expect(socket.of<RpcHeader>(ids[index] as string).map(({ hash }): Hash => hash)).toEqual(
          blocks.map(({ hash }) => hash),
        ),
      )
    await Promise.all(sockets.map((socket) => socket.close()))
  })

  test('behavior: a leader that was frozen does not disturb the one that replaced it', async ({
    replicas: { chain, spawnGateway, synced },
  }) => {
    const gateways = await Promise.all([spawnGateway(), spawnGateway()])
    const { followers, leader } = await byRole(gateways)
    leader.signal('SIGSTOP')
    chain.mine()
    await synced(followers)
    chain.reorg(1, [{ logs: [[log]] }, {}])
    await synced(followers)
    leader.signal('SIGCONT')
    chain.mine()
    await synced(gateways)
    const roles = await Promise.all(gateways.map(async (one) => (await one.health()).head.role))
    expect(roles.toSorted()).toEqual(['follower', 'leader'])
    expect((await byRole(gateways)).leader).toBe(followers[0])
  })

  test('behavior: no answer lacks logs in silence while Redis is frozen, and no head is older once it answers again', async ({
    onTestFinished,
  }) => {
    const own = await startRedis()
    onTestFinished(() => own.close())
    const replicas = await openReplicas(own.url)
    onTestFinished(() => replicas.close())
    const { chain, spawnGateway, synced } = replicas
    const gateways = await Promise.all([spawnGateway(), spawnGateway(), spawnGateway()])
    const life = { stopped: false }
    const isFrozen = { now: false }
    const [older, incomplete]: [string[], string[]] = [[], []]
    const failures = new Set<string>(['block range extends beyond current head block'])
    let shown = 0

    /** Asks the replicas in turn: for the head, and for the logs up to the newest block that any of them has shown. */
    async function client() {
      for (let turn = 0; !life.stopped; turn++) {
        const gateway = gateways[turn % gateways.length] as Gateway
        const wasFrozen = isFrozen.now
        const number = Number(await gateway.rpc('eth_blockNumber'))
        if (number < shown && !wasFrozen && !isFrozen.now) older.push(`${number} after ${shown}`)
        shown = Math.max(shown, number)
        const range = { fromBlock: '0x1', toBlock: `0x${shown.toString(16)}` }
        const logs = await gateway.rpc<RpcLog[]>('eth_getLogs', range).catch((error: Error) => {
          // Open, and only for a block that this replica does not have.
          failures.add(error.message.replace(/:.*/, ''))
          return undefined
        })
        if (logs && logs.length !== shown) incomplete.push(`${logs.length} of ${shown}`)
        await sleep(5)
      }
    }
    /** The roles of all, when they are these. */
    const become = (...roles: string[]) =>
      until(async () => {
        const now = await Promise.all(gateways.map(async (one) => (await one.health()).head.role))
        expect(now.toSorted()).toEqual(roles)
      })
    async function mine() {
      for (let count = 0; count < 5; count++) {
        chain.mine({ logs: [[log]] })
        await synced(gateways)
      }
    }

    chain.mine({ logs: [[log]] })
    await synced(gateways)
    const asking = client()
    await mine()
    isFrozen.now = true
    own.signal('SIGSTOP')
    await mine()
    await become('standalone', 'standalone', 'standalone')
    await mine()
    own.signal('SIGCONT')
    await become('follower', 'follower', 'leader')
    await mine()
    isFrozen.now = false
    await mine()
    life.stopped = true
    await asking
    expect({ failures: [...failures], incomplete, older }).toEqual({
      failures: ['block range extends beyond current head block'],
      incomplete: [],
      older: [],
    })
    await Promise.all(gateways.map((one) => one.end('SIGTERM')))
  })

  test('behavior: the topology of the compose file: filters and heads through any replica', async ({
    onTestFinished,
  }) => {
    const own = await startRedis()
    onTestFinished(() => own.close())
    const replicas = await openReplicas(own.url)
    onTestFinished(() => replicas.close())
    const { chain, spawnGateway, synced } = replicas
    const gateways = [await spawnGateway(), await spawnGateway()]
    const [first, second] = gateways as [Gateway, Gateway]
    const id = await first.rpc<string>('eth_newBlockFilter')
    const block = chain.mine()
    await synced(gateways)
    expect(await second.rpc('eth_getFilterChanges', id)).toEqual([block.hash])
    expect(await first.rpc('eth_getFilterChanges', id)).toEqual([])
    expect(await second.rpc('eth_uninstallFilter', id)).toBe(true)
    await expect(first.rpc('eth_getFilterChanges', id)).rejects.toMatchObject({ code: -32000 })
    await own.stop()
    expect(await second.rpc('eth_blockNumber')).toBe('0x1')
    await expect(second.rpc('eth_newBlockFilter')).rejects.toMatchObject({
      code: -32603,
      message: 'the shared store (Redis) is unavailable, try again later',
    })
    await own.start()
    await until(() => second.rpc('eth_newBlockFilter'))
    await first.end('SIGTERM')
    await second.end('SIGTERM')
  })
})
