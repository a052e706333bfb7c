import { randomBytes } from 'node:crypto'
import { readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'

import { type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { createDevChain, type DevChain } from '../../src/devchain/index.ts'
import { createRedisLink, type RedisLink } from '../../src/lib/redis.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { explainSkip, redisServerMissing, startRedis, type TestRedis } from '../support/redis.ts'

explainSkip(redisServerMissing)

describe.skipIf(redisServerMissing)('a Redis that loses its last second, or keys', () => {
  let chain: DevChain
  let gateway: TestGateway
  let link: RedisLink
  let redis: TestRedis
  let other: TestGateway
  beforeEach(async () => {
    redis = await startRedis({ settings: ['--appendfsync', 'everysec'] })
    chain = await createDevChain({ accounts: { count: 3 } })
    chain.automine = false
    await chain.start()
    const redisPrefix = randomBytes(6).toString('hex')
    link = createRedisLink({ prefix: redisPrefix, url: redis.url })
    const start = () =>
      startGateway({
        config: { redis: redis.url, redisPrefix },
        keys: chain.accounts.map(({ key }) => key),
        transport: chain.transport,
      })
    gateway = await start()
    other = await start()
  })
  afterEach(async () => {
    await gateway?.close()
    await other?.close()
    await link?.close()
    await chain?.close()
    await redis?.close()
  })

  const call = (method: string, ...params: unknown[]) => gateway.gateway.request({ method, params })
  const accountAt = (index: number) => privateKeyToAccount(`0x${chain.accounts[index]?.key ?? ''}`)
  const signed = (nonce: number): Promise<Hex> =>
    accountAt(0).signTransaction({
      chainId: chain.chainId,
      gas: 100_000n,
      gasPrice: 1_000n,
      nonce,
      to: accountAt(1).address,
      type: 'legacy',
      value: 7n,
    })

  /** Puts all keys back as they were when this was called. */
  async function backup(): Promise<() => Promise<void>> {
    const kept = new Map<string, Buffer>()
    for (const name of await link.client.keys('*')) {
      const dump = await link.client.dumpBuffer(name)
      if (dump) kept.set(name, dump)
    }
    return async () => {
      await link.client.flushall()
      for (const [name, dump] of kept) await link.client.restore(name, 0, dump, 'REPLACE')
    }
  }

  /** How often the chain has paid the other account since it began. */
  async function payments(): Promise<bigint> {
    for (let block = 0; block < 3; block++) await chain.mine()
    const balance = BigInt((await call('eth_getBalance', accountAt(1).address, 'latest')) as Hex)
    const start = BigInt((await call('eth_getBalance', accountAt(2).address, 'latest')) as Hex)
    return (balance - start) / 7n
  }

  test('behavior: the replica that sent a transaction pays it once', async () => {
    const lose = await backup()
    const raw = await signed(0)
    expect(await call('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    await lose()
    expect(await call('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    expect(await payments()).toBe(1n)
  })

  /** Crashes Redis, which loses all but the beginning of its append-only file when the returned function is called. */
  function crashTo(): () => Promise<void> {
    const folder = join(redis.directory, 'appendonlydir')
    const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.incr.aof')) ?? '')
    const { size } = statSync(file)
    return async () => {
      await redis.kill()
      // In the middle of a command.
      truncateSync(file, size + 100)
      await redis.start()
      for (const each of [gateway, other])
        await expect.poll(() => each.gateway.health().redis).toBe('up')
    }
  }

  test('behavior: after a crash that lost the end of the append-only file, both replicas have the same bytes', async () => {
    await expect.poll(() => other.gateway.health().redis).toBe('up')
    await call('eth_sendRawTransaction', await signed(0))
    const crash = crashTo()
    const raws = await Promise.all([signed(1), signed(2)])
    for (const raw of raws) await call('eth_sendRawTransaction', raw)
    await crash()
    const ask = (method: string, ...params: unknown[]) => other.gateway.request({ method, params })
    for (const raw of raws.toReversed())
      expect(await ask('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    const count = await ask('eth_getTransactionCount', accountAt(0).address, 'pending')
    expect(count).toBe('0x3')
    expect(await payments()).toBe(3n)
  })

  test('behavior: a managed account has no second transaction with the nonce of a lost one', async () => {
    await call('eth_sendRawTransaction', await signed(0))
    const crash = crashTo()
    const request = {
      from: accountAt(0).address,
      nonce: '0x1',
      to: accountAt(1).address,
      value: '0x7',
    }
    await call('eth_sendTransaction', request)
    await crash()
    await expect(call('eth_sendTransaction', request)).rejects.toMatchObject({ code: -32000 })
    expect(await payments()).toBe(2n)
  })

  test('error: nothing is signed while Redis may evict records; what it evicted is paid once', async () => {
    const raw = await signed(0)
    await call('eth_sendRawTransaction', raw)
    await link.client.config('SET', 'maxmemory', '1gb', 'maxmemory-policy', 'allkeys-lru')
    // It evicts the whole record.
    for (const name of await link.client.keys('*sent:*')) await link.client.del(name)
    const next = await signed(1)
    await expect(call('eth_sendRawTransaction', next)).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('maxmemory-policy allkeys-lru') as string,
    })
    expect(await call('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    expect(await payments()).toBe(1n)
  })
})
