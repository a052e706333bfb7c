import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'

import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'

import {
  explainSkip,
  redisMissing,
  redisServerMissing,
  someRedis,
  startRedis,
} from '../../test/support/redis.ts'
import { startTcpProxy } from '../../test/support/tcpProxy.ts'
import { until } from '../../test/support/until.ts'
import { createRedisLink } from './redis.ts'

explainSkip(redisMissing)

describe.skipIf(redisMissing !== undefined)('createRedisLink', () => {
  async function open() {
    const redis = await someRedis()
    const link = createRedisLink({ url: redis.url, prefix: randomUUID() })
    onTestFinished(async () => {
      await link.close()
      await redis.close()
    })
    await until(() => expect(link.status()).toBe('up'))
    return link
  }

  test('default: keys of one prefix share a hash tag', async () => {
    const link = createRedisLink({ url: 'redis://127.0.0.1:1', prefix: 'chain' })
    expect([link.key('a'), link.key('b:c')]).toEqual(['{chain}:a', '{chain}:b:c'])
    await link.close()
  })

  test('behavior: a script is sent again when Redis no longer has it', async () => {
    const link = await open()
    const echo = link.script(`return { KEYS[1], ARGV[1], '${randomUUID()}' }`)
    const first = await echo([link.key('a')], [1])
    expect(first).toEqual([link.key('a'), '1', expect.any(String)])
    await link.client.script('FLUSH')
    expect(await echo([link.key('a')], [1])).toEqual(first)
  })

  test('behavior: an answer that a busy process reads late came in time', async () => {
    const link = await open()
    await stat('.')
    const written = link.run((client) => client.set(link.key('late'), 'x', 'PX', 10_000))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_200)
    await expect(written).resolves.toBe('OK')
  })

  test('error: clients do not see the text of a Redis error', async () => {
    const link = await open()
    await link.client.set(link.key('text'), 'x', 'PX', 10_000)
    await expect(link.run((client) => client.hget(link.key('text'), 'x'))).rejects.toMatchObject({
      code: -32603,
      message: 'the shared store (Redis) is unavailable, try again later',
      cause: expect.objectContaining({
        message: expect.stringMatching(/WRONGTYPE/) as string,
      }) as Error,
    })
  })
})

test('error: calls to an unreachable Redis fail at once, without unhandled rejections', async () => {
  const link = createRedisLink({ url: 'redis://127.0.0.1:1' })
  const told: unknown[] = []
  link.onStatus((...status) => told.push(status))
  await expect(link.run((client) => client.get('a'))).rejects.toMatchObject({ code: -32603 })
  expect(link.status()).toBe('down')
  await until(() =>
    expect(told).toEqual([['down', expect.stringContaining('ECONNREFUSED') as string]]),
  )
  expect(link.problem()).toBe('Redis is unreachable')
  await link.close()
})

test.skipIf(redisServerMissing !== undefined)(
  'behavior: while Redis refuses writes and answers late, one write is tried at a time',
  async () => {
    const redis = await startRedis()
    const proxy = await startTcpProxy(redis.port)
    const admin = new Redis(redis.url)
    let inFlight = 0
    let most = 0
    let tried = 0
    const link = createRedisLink({
      onCommand(name) {
        if (name !== 'set') return undefined
        tried++
        most = Math.max(most, ++inFlight)
        return () => void inFlight--
      },
      url: `redis://127.0.0.1:${proxy.port}`,
    })
    onTestFinished(async () => {
      admin.disconnect()
      await link.close()
      proxy.close()
      await redis.close()
    })
    await until(() => expect(link.status()).toBe('up'))
    await admin.config('SET', 'min-replicas-to-write', '1')
    await expect(link.run((client) => client.set('a', '1'))).rejects.toMatchObject({ code: -32603 })
    expect(link.problem()).toBe('Redis refuses writes (it has too few replicas)')
    // No answer comes until the link connects again.
    proxy.freeze()
    await until(() => expect(tried).toBe(3))
    expect(most).toBe(1)
    await admin.config('SET', 'min-replicas-to-write', '0')
    await until(() => expect(link.status()).toBe('up'))
  },
)
