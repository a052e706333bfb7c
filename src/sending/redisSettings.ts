import { RpcError } from '../lib/errors.ts'
import type { RedisLink } from '../lib/redis.ts'
import { serversOf } from '../lib/redisClient.ts'
import { watchRedis } from '../lib/watchRedis.ts'

/** Milliseconds between looks at the settings, for the log and `/health`. */
const LOOK_EVERY = 10_000

/**
 * Watches the settings by which Redis could lose the nonces of managed accounts: then the gateway would sign and pay an old
 * Ethereum transaction again. It logs each problem once. Settings that the server does not show are a problem for operators, and
 * no reason to refuse: by default Redis deletes nothing.
 */
export function watchRedisSettings({ log, redis }: watchRedisSettings.Options) {
  let problem: string | undefined

  async function look() {
    const all = (await redis.run(readInfo)).map(settingsIn)
    // Of the masters of a cluster, one that may lose the record is enough.
    const settings =
      all.find(({ evicts }) => evicts) ?? all.find((one) => one.problem) ?? all[0] ?? settingsIn('')
    const before = problem
    ;({ problem } = settings)
    if (problem !== before && problem !== undefined)
      log[settings.evicts ? 'error' : 'warn'](problem)
    return settings
  }

  // The link logs an unreachable Redis.
  const lookQuietly = () => void look().catch(() => {})
  lookQuietly()

  return {
    /**
     * Reads the settings of Redis.
     *
     * @throws RpcError when it may delete records; StoreUnavailableError
     */
    async assertKept(): Promise<void> {
      const { evicts, policy } = await look()
      if (evicts)
        throw new RpcError(
          -32603,
          `transactions of managed accounts are not sent: the shared store (Redis) may delete their record (maxmemory-policy ${policy}), it needs noeviction`,
        )
    },
    /** What is wrong with the settings, as text for operators; undefined if nothing is. */
    problem: () => problem,
    close: watchRedis(redis, LOOK_EVERY, lookQuietly),
  }
}

export declare namespace watchRedisSettings {
  type Options = {
    log: Record<'error' | 'warn', (message: string) => void>
    redis: Pick<RedisLink, 'onStatus' | 'run'>
  }
}

/** The text of INFO of each master; empty when the server does not have the command or this user may not call it. */
const readInfo = (client: RedisLink['client']): Promise<string[]> =>
  Promise.all(
    serversOf(client).map((server) =>
      server.info().catch((error: Error) => {
        if (error.name === 'ReplyError') return ''
        throw error
      }),
    ),
  )

const fieldOf = (info: string, name: string) => new RegExp(`^${name}:(\\S*)`, 'm').exec(info)?.[1]

function settingsIn(info: string) {
  const policy = fieldOf(info, 'maxmemory_policy')
  const evicts = ![undefined, 'noeviction'].includes(policy) && fieldOf(info, 'maxmemory') !== '0'
  let problem: string | undefined
  if (policy === undefined)
    problem =
      'Redis does not show its settings (INFO), so it is not known whether it keeps the nonces of managed accounts: allow INFO to its user (ACL +info), or make sure of maxmemory-policy noeviction and appendonly yes'
  else if (evicts)
    problem = `Redis may delete keys (maxmemory-policy ${policy}), so transactions of managed accounts are not sent: set maxmemory-policy noeviction`
  else if (fieldOf(info, 'aof_enabled') === '0')
    problem =
      'Redis has no append-only file: if it restarts without its data, the gateway may sign and send an old Ethereum transaction again (set appendonly yes)'
  return { evicts, policy: String(policy), problem }
}
