import { setTimeout as sleep } from 'node:timers/promises'

import { Redis } from 'ioredis'

import { startRedis, type TestRedis } from '../../test/support/redis.ts'
import { type DrillGateway, startGateway, startNode } from '../processes.ts'
import { callText } from '../requests.ts'
import { atLeast, atMost, becomes, type Check, type LimitsCase, none } from './check.ts'
import { bearer, createKeysFile } from './keys.ts'
import { startPaced } from './paced.ts'

const SECONDS = 5

/** What happens to Redis, and how it ends. */
type Fault = {
  name: string
  begin(redis: TestRedis): Promise<void> | void
  end(redis: TestRedis): Promise<void> | void
}

const FAULTS: readonly Fault[] = [
  { name: 'killed', begin: (redis) => redis.kill(), end: (redis) => redis.start() },
  {
    name: 'paused',
    begin: (redis) => redis.signal('SIGSTOP'),
    end: (redis) => redis.signal('SIGCONT'),
  },
  {
    name: 'full',
    begin: (redis) => configure(redis, '1'),
    end: (redis) => configure(redis, '0'),
  },
]

/** Redis fails in three ways, while one key stays below its limit and another is above it. */
export const lostRedis: LimitsCase = {
  name: 'redis',
  what: 'Redis is killed, paused and full, while keys work',
  async run() {
    const node = await startNode()
    const keys = createKeysFile({ below: 'rate: 50', above: 'rate: 1, burst: 10' })
    const checks: Check[] = []
    for (const fault of FAULTS) {
      const redis = await startRedis({ durable: false })
      const gateway = await startGateway({
        flags: ['--redis', redis.url, '--api-keys', keys.path],
        upstream: node.url,
      })
      const common = { urls: [gateway.url], body: callText('eth_chainId') }
      const below = await startPaced({ ...common, headers: bearer('below'), perSecond: 200 })
      const above = await startPaced({ ...common, headers: bearer('above'), perSecond: 100 })
      await sleep(SECONDS * 1_000)
      await fault.begin(redis)
      const noticed = await becomes(
        `${fault.name}: ethgate_limits_shared is 0`,
        3,
        async () => (await shared(gateway)) === 0,
      )
      const [before] = await above.report()
      await sleep(SECONDS * 1_000)
      const [after] = await above.report()
      await fault.end(redis)
      const back = await becomes(
        `${fault.name}: it is 1 again`,
        15,
        async () => (await shared(gateway)) === 1,
      )
      const [light] = await below.report()
      below.stop()
      above.stop()
      await gateway.end()
      await redis.close()
      checks.push(
        noticed,
        back,
        none(
          `${fault.name}: calls below the limit that failed`,
          light?.failed ?? 0,
          light?.firstFailure,
        ),
        none(`${fault.name}: calls below the limit that were refused`, light?.refused ?? 0),
        atMost(`${fault.name}: longest call`, light?.slowest ?? 0, 500, 'ms'),
        atLeast(
          `${fault.name}: calls above the limit that were refused`,
          (after?.refused ?? 0) - (before?.refused ?? 0),
          1,
        ),
      )
    }
    keys.remove()
    return checks
  },
}

/** @param bytes - the most memory that Redis may use; 0 for any */
async function configure({ url }: TestRedis, bytes: string): Promise<void> {
  const client = new Redis(url)
  await client.config('SET', 'maxmemory-policy', 'noeviction')
  await client.config('SET', 'maxmemory', bytes)
  client.disconnect()
}

async function shared({ url }: DrillGateway): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^ethgate_limits_shared(?:\{[^}]*\})? (\d)/m.exec(text)?.[1])
}
