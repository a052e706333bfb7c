import { randomBytes } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { explainSkip, redisMissing, someRedis } from '../../test/support/redis.ts'
import { createRedisLink, type RedisLink } from '../lib/redis.ts'
import { createRedisSentStore } from './redisSentStore.ts'
import { describeSentStore } from './sentStore.contract.ts'

explainSkip(redisMissing)

describe.skipIf(redisMissing)('createRedisSentStore', () => {
  let redis: Awaited<ReturnType<typeof someRedis>>
  const links: RedisLink[] = []

  beforeAll(async () => {
    redis = await someRedis()
  })
  afterAll(async () => {
    for (const link of links) await link.close()
    await redis?.close()
  })

  async function connect(prefix: string): Promise<RedisLink> {
    const link = createRedisLink({ prefix, url: redis.url })
    links.push(link)
    await new Promise<void>((resolve) => {
      if (link.status() === 'up') resolve()
      else link.onStatus((status) => status === 'up' && resolve())
    })
    return link
  }

  describeSentStore(async () => {
    const prefix = `sent-${randomBytes(6).toString('hex')}`
    const [a, b] = await Promise.all([connect(prefix), connect(prefix)])
    return { a: createRedisSentStore({ redis: a }), b: createRedisSentStore({ redis: b }) }
  })

  test('behavior: only the nonces of translated Ethereum transactions have no lifetime', async () => {
    const link = await connect(`sent-${randomBytes(6).toString('hex')}`)
    const store = createRedisSentStore({ redis: link })
    const expiration = 1_795_261_857_000
    for (const id of ['0x01', '0x02'] as const) {
      await store.reserve({ alias: `${id}ff`, expiration, from: '0xaa', id })
      await store.reserve({ expiration, from: '0xbb', id: `${id}00` })
    }
    await store.confirm('0x01')
    await store.confirm('0x0100')
    await store.addContract({ actual: '0x01', predicted: '0x02' })
    const keys = await link.client.keys(link.key('sent:*').replace(/[[\]]/g, '\\$&'))
    const lasting: string[] = []
    for (const key of keys) if ((await link.client.ttl(key)) < 0) lasting.push(key)
    expect(lasting.toSorted()).toEqual([link.key('sent:mined:0xaa'), link.key('sent:nonces:0xaa')])
    expect((await store.find('0x02'))?.expiration).toBe(expiration)
  })
})
