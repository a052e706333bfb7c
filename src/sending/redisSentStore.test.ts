import { randomBytes } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { explainSkip, redisMissing, someRedis } from '../../test/support/redis.ts'
import { createRedisLink, type RedisLink } from '../lib/redis.ts'
import { createRedisSentStore } from './redisSentStore.ts'
import { describeSentStore } from './sentStore.contract.ts'

const AA = `0x${'aa'.repeat(20)}` as const
const BB = `0x${'bb'.repeat(20)}` as const

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

  test('behavior: only pending transactions and the nonces of translated Ethereum transactions have no lifetime', async () => {
    const link = await connect(`sent-${randomBytes(6).toString('hex')}`)
    const store = createRedisSentStore({ redis: link })
    const expiration = 1_795_261_857_000
    for (const id of ['0x01', '0x02'] as const) {
      await store.reserve({ alias: `${id}ff`, expiration, from: AA, id })
      await store.reserve({ expiration, from: BB, id: `${id}00` })
    }
    await store.addContract('0x01')
    const pending = await lastingKeys(link)
    expect(pending).toContain(link.key('sent:alias:0x02ff'))
    expect(pending).toContain(link.key('sent:tx:0x02'))
    expect(pending).toContain(link.key('sent:pending'))
    for (const id of ['0x01', '0x0100'] as const) await store.change(id, { event: 'final' })
    await store.change('0x0200', { event: 'expired' })
    expect(await lastingKeys(link)).toContain(link.key(`sent:nonces:${AA}`))
    await store.change('0x02', { event: 'final' })
    expect(await lastingKeys(link)).toEqual(
      [`mined:${AA}`, 'version'].map((name) => link.key(`sent:${name}`)),
    )
    expect((await store.find('0x02'))?.expiration).toBe(expiration)
  })
})

/** The keys of the store that never expire. */
async function lastingKeys(link: RedisLink): Promise<string[]> {
  const keys = await link.client.keys(link.key('sent:*').replace(/[[\]]/g, '\\$&'))
  const lasting: string[] = []
  for (const key of keys) if ((await link.client.ttl(key)) < 0) lasting.push(key)
  return lasting.toSorted()
}
