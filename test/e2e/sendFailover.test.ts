// A Redis that fails over between the record of a transaction and the answer to its sender.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import { Redis } from 'ioredis'
import { type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { createDevChain, type DevChain } from '../../src/devchain/index.ts'
import type { NativeTransport } from '../../src/native/transport/transport.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { explainSkip, type TestRedis } from '../support/redis.ts'
import {
  enginesMissing,
  type RedisEngine,
  startCluster,
  startSentinel,
} from '../support/redisEngines.ts'

explainSkip(enginesMissing)

/** An engine of which the server with the keys of a prefix can be found. */
type Engine = RedisEngine & {
  owner: (prefix: string) => Promise<TestRedis>
  replicas: () => Promise<TestRedis[]>
}

const settings = ['--enable-debug-command', 'yes']

async function sentinel(): Promise<Engine> {
  const engine = await startSentinel({ servers: 3, settings })
  const replicas = async () => {
    const master = await engine.master()
    return engine.nodes.filter((node) => node !== master)
  }
  return { ...engine, owner: () => engine.master(), replicas }
}

async function cluster(): Promise<Engine> {
  const engine = await startCluster({ replicas: true, settings })
  async function owner(prefix: string): Promise<TestRedis> {
    for (const master of engine.masters) {
      const found = await ask(master, (client) => client.keys(`*${prefix}*`))
      if (found.length > 0) return master
    }
    throw new Error('no master has the keys')
  }
  return { ...engine, owner, replicas: async () => engine.replicas }
}

async function ask<answer>({ url }: TestRedis, question: (client: Redis) => Promise<answer>) {
  const client = new Redis(url)
  try {
    return await question(client)
  } finally {
    client.disconnect()
  }
}

describe.skipIf(enginesMissing).each([
  ['Sentinel', sentinel],
  ['Cluster', cluster],
])('%s', { timeout: 60_000 }, (_, start) => {
  let chain: DevChain
  let engine: Engine
  let prefix: string
  const gateways: TestGateway[] = []
  let broadcasts = 0
  /** Called at each broadcast, before the node gets it. */
  let onBroadcast = async () => {}

  beforeEach(async () => {
    prefix = randomBytes(6).toString('hex')
    broadcasts = 0
    onBroadcast = async () => {}
    engine = await start()
    chain = await createDevChain({ accounts: { count: 3 } })
    await chain.start()
    for (const _ of [1, 2]) gateways.push(await open())
  })
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.close()
    await chain?.close()
    await engine?.close()
  })

  function open(): Promise<TestGateway> {
    const transport: NativeTransport = {
      ...chain.transport,
      async send(path, ...rest) {
        if (path.startsWith('/wallet/broadcast')) {
          broadcasts += 1
          await onBroadcast()
        }
        return chain.transport.send(path, ...rest)
      },
    }
    return startGateway({
      config: { redis: engine.url, redisPrefix: prefix },
      keys: chain.accounts.map(({ key }) => key),
      transport,
    })
  }

  const accountAt = (index: number) => privateKeyToAccount(`0x${chain.accounts[index]?.key ?? ''}`)
  const signed = (): Promise<Hex> =>
    accountAt(0).signTransaction({
      chainId: chain.chainId,
      gas: 100_000n,
      gasPrice: 1_000n,
      nonce: 0,
      to: accountAt(1).address,
      type: 'legacy',
      value: 7n,
    })
  const send = (gateway: TestGateway | undefined, raw: Hex) =>
    gateway?.gateway.request({ method: 'eth_sendRawTransaction', params: [raw] })

  /** Sends the same bytes until the replica answers with a hash. */
  async function sendUntilSent(gateway: TestGateway | undefined, raw: Hex): Promise<unknown> {
    for (let tries = 0; ; tries++)
      try {
        return await send(gateway, raw)
      } catch (error) {
        if (tries > 100) throw error
        await sleep(200)
      }
  }

  async function payments(): Promise<bigint> {
    const balanceOf = async (index: number) =>
      BigInt(
        (await gateways[0]?.gateway.request({
          method: 'eth_getBalance',
          params: [accountAt(index).address, 'latest'],
        })) as Hex,
      )
    return ((await balanceOf(1)) - (await balanceOf(2))) / 7n
  }

  test('behavior: the master dies after the record, before the node gets the transaction', async () => {
    const raw = await signed()
    onBroadcast = async () => {
      onBroadcast = async () => {}
      await (await engine.owner(prefix)).kill()
    }
    expect(await send(gateways[0], raw)).toBe(keccak256(raw))
    expect(await sendUntilSent(gateways[1], raw)).toBe(keccak256(raw))
    // A replica that has just started knows only what the new master has.
    gateways.push(await open())
    expect(await sendUntilSent(gateways[2], raw)).toBe(keccak256(raw))
    expect(await payments()).toBe(1n)
  })

  test('behavior: the master dies before the record is known to be copied: nothing was sent, and it is paid once later', async () => {
    const raw = await signed()
    // Redis is young, so nothing is signed yet.
    await sleep(3_000)
    // The keys of the head say which master it is.
    const master = await engine.owner(prefix)
    const asleep = (await engine.replicas()).map((replica) =>
      ask(replica, (client) => client.call('DEBUG', 'SLEEP', '1.2')).catch(() => {}),
    )
    await sleep(100)
    const sent = send(gateways[0], raw)
    const failure = sent?.catch((error: unknown) => error)
    await sleep(300)
    await master.kill()
    expect(await failure).toMatchObject({ code: -32603 })
    expect(broadcasts).toBe(0)
    await Promise.all(asleep)
    // A record needs a replica again.
    await master.start()
    expect(await sendUntilSent(gateways[1], raw)).toBe(keccak256(raw))
    expect(await sendUntilSent(gateways[0], raw)).toBe(keccak256(raw))
    expect(await payments()).toBe(1n)
  })
})
