import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'

import { post } from '../../test/support/client.ts'
import { startGateway } from '../../test/support/gateway.ts'
import { keys } from '../../test/support/recordedChain.ts'
import { explainSkip, redisServerMissing, startRedis } from '../../test/support/redis.ts'
import { createRedisLink } from '../lib/redis.ts'
import { watchRedisSettings } from './redisSettings.ts'

explainSkip(redisServerMissing)

const FULL = ['--maxmemory', '3mb']

async function open(settings: string[], durable = true) {
  const redis = await startRedis({ durable, settings })
  const admin = new Redis(redis.url)
  onTestFinished(async () => {
    admin.disconnect()
    await redis.close()
  })
  return { admin, url: redis.url }
}

/** A gateway with the key of bob, and a node that accepts every transaction. */
async function openGateway(url: string) {
  const broadcasts: string[] = []
  const running = await startGateway({
    config: { redis: url },
    intercept({ body, path }) {
      if (path !== '/wallet/broadcasthex') return undefined
      broadcasts.push(body)
      return { text: '{"result":true,"code":"SUCCESS","message":"","txid":""}' }
    },
    keys: [keys.bob.pk],
  })
  const { gateway } = running
  await gateway.ready
  await expect.poll(() => gateway.health().redis).toBe('up')
  return {
    broadcasts,
    reasons: () => gateway.health().reasons.join('\n'),
    send: () =>
      post(running.url, 'eth_sendTransaction', [
        { from: keys.bob.eth, to: keys.dave.eth, value: '0x5' },
      ]),
  }
}

/** Fills Redis as filters do: with keys that expire. */
async function fill(admin: Redis): Promise<unknown> {
  for (let n = 0; n < 100; n++)
    try {
      await admin.set(`filter:${n}`, 'x'.repeat(100_000), 'EX', 600)
    } catch (error) {
      return error
    }
  return undefined
}

describe.skipIf(redisServerMissing)('watchRedisSettings', () => {
  test.each(['allkeys-lru', 'volatile-ttl'])(
    'error: %s evicts keys, so managed transactions are refused until it is changed',
    async (policy) => {
      const { admin, url } = await open([...FULL, '--maxmemory-policy', policy])
      const { broadcasts, reasons, send } = await openGateway(url)
      await expect.poll(reasons).toContain(`Redis may delete keys (maxmemory-policy ${policy})`)
      expect(await send()).toMatchObject({
        error: { code: -32603, message: expect.stringContaining(policy) as string },
      })
      expect(broadcasts).toEqual([])
      await admin.config('SET', 'maxmemory-policy', 'noeviction')
      expect(await send()).toMatchObject({ result: expect.stringMatching(/^0x/) as string })
      expect(broadcasts).toHaveLength(1)
      expect(reasons()).not.toContain('Redis')
    },
  )

  test('behavior: a policy that is set while the gateway runs', async () => {
    const { admin, url } = await open(FULL)
    const { send } = await openGateway(url)
    expect(await send()).toHaveProperty('result')
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    expect(await send()).toHaveProperty('error.code', -32603)
  })

  test('behavior: keys of others cannot push nonces out; a full Redis sends nothing', async () => {
    const { admin, url } = await open(FULL)
    const { broadcasts, send } = await openGateway(url)
    expect(await send()).toHaveProperty('result')
    const sentKeys = async () => (await admin.keys('*:sent:*')).toSorted()
    const before = await sentKeys()
    expect(String(await fill(admin))).toContain('OOM')
    expect(await sentKeys()).toEqual(before)
    // What the refused write took is free again.
    await admin.config('SET', 'maxmemory', '1')
    expect(await send()).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('memory is full') as string },
    })
    expect(broadcasts).toHaveLength(1)
  })

  test('behavior: a user without INFO: says that nothing was checked, and sends', async () => {
    const { admin, url } = await open(FULL)
    const rights = ['on', '>pw', '~*', '&*', '+@all', '-info']
    await admin.call('ACL', 'SETUSER', 'limited', ...rights)
    const { reasons, send } = await openGateway(url.replace('//', '//limited:pw@'))
    await expect.poll(reasons).toContain('Redis does not show its settings (INFO)')
    expect(await send()).toHaveProperty('result')
    await admin.call('ACL', 'SETUSER', 'limited', '+info')
    expect(await send()).toHaveProperty('result')
    expect(reasons()).not.toContain('Redis')
  })

  test('behavior: logs an error once, and a missing append-only file as a warning', async () => {
    const { admin, url } = await open([], false)
    const link = createRedisLink({ url })
    const logged: string[] = []
    const log = {
      error: (message: string) => void logged.push(`error ${message}`),
      warn: (message: string) => void logged.push(`warn ${message}`),
    }
    const settings = watchRedisSettings({ log, redis: link })
    onTestFinished(async () => {
      settings.close()
      await link.close()
    })
    await expect.poll(() => logged).toEqual([expect.stringMatching(/^warn .*appendonly yes/)])
    // Without a limit of memory no key is evicted.
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await settings.assertKept()
    await admin.config('SET', 'maxmemory', '100mb')
    await expect(settings.assertKept()).rejects.toThrow(/allkeys-lru/)
    await expect(settings.assertKept()).rejects.toThrow(/allkeys-lru/)
    expect(logged.slice(1)).toEqual([expect.stringMatching(/^error .*noeviction/)])
  })
})
