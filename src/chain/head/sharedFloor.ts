import { randomUUID } from 'node:crypto'

import { UpstreamError } from '../../lib/errors.ts'
import type { RedisLink } from '../../lib/redis.ts'
import { sleep } from '../../lib/sleep.ts'
import { whenLate } from '../../lib/within.ts'
import { askInTime } from './askInTime.ts'
import type { ChainUpdate } from './headTypes.ts'

/** Milliseconds that a lagging replica has to catch up. */
const CATCH_UP_TIMEOUT = 2_000

/** Milliseconds for which a floor is valid: longer than the time between blocks. After that a replica with a lower head answers again. */
const LIFETIME = 10_000

/** Milliseconds of a read lease in Redis. A replica that was killed delays the next block of the others for this long. */
const LEASE = 300

/** Milliseconds for which the holder uses it, from before the request: less, because two clocks may differ in speed. */
const USE = 240

/** Milliseconds before its end at which a lease that is in use is renewed. */
const RENEW = 120

/** Milliseconds to wait for an answer of Redis before a block is shown. Longer than a lease, so those of others have ended. */
const ANSWER_LIMIT = LEASE + 200

/**
 * Milliseconds to wait for Redis before a call is answered. If all replicas have lost Redis, none shows a newer block
 * before `ANSWER_LIMIT`. If only this one has, it may answer from an older block, as when its connection is refused.
 */
const SILENCE = 300

/** Longest pause between two looks at the leases of others, milliseconds. They end when their holders get the block. */
const PAUSE = 8

/** KEYS: floor, next floor, leases. ARGV: replica, its newest block, milliseconds of a lease, lifetime. */
const TAKE_LEASE = `
local floor = tonumber(redis.call('GET', KEYS[1]) or -1)
local number = tonumber(ARGV[2])
if number < floor or number < tonumber(redis.call('GET', KEYS[2]) or -1) then return { floor, 0 } end
local time = redis.call('TIME')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[3]
redis.call('HSET', KEYS[3], ARGV[1], string.format('%d %.0f', number, ends))
redis.call('PEXPIRE', KEYS[3], ARGV[4])
return { floor, 1 }`

/**
 * KEYS: as above. ARGV: replica, the block that it will show, the highest block that a reorg has removed, lifetime. Returns
 * the milliseconds until the last lease for an older block ends. 0: the block may be shown.
 */
const RAISE = `
local number = tonumber(ARGV[2])
local function raise(key)
  local floor = redis.call('GET', key)
  if not floor or number > tonumber(floor) or floor == ARGV[3] then
    redis.call('SET', key, ARGV[2], 'PX', ARGV[4])
  end
end
raise(KEYS[2])
redis.call('HDEL', KEYS[3], ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local left = 0
local leases = redis.call('HGETALL', KEYS[3])
for i = 1, #leases, 2 do
  local held, ends = string.match(leases[i + 1], '^(%S+) (%S+)$')
  if tonumber(ends) <= now then redis.call('HDEL', KEYS[3], leases[i])
  elseif tonumber(held) < number then left = math.max(left, tonumber(ends) - now) end
end
if left == 0 then raise(KEYS[1]) end
return left`

/**
 * Tracks the newest block that any replica has shown. No other replica answers from an older block afterwards.
 *
 * A replica answers without asking Redis while it holds a read lease for its newest block. A replica that is about to show
 * a newer block first waits until no other replica holds a lease for an older one.
 */
export function createSharedFloor({ isActive, newest, now, redis }: createSharedFloor.Options) {
  const id = randomUUID()
  const floorKey = redis.key('head:floor')
  const keys = [floorKey, redis.key('head:floor:next'), redis.key('head:readers')]
  const takeLease = redis.script(TAKE_LEASE)
  const raise = redis.script(RAISE)
  let reading: Promise<number> | undefined
  let next: Promise<number> | undefined
  /** Whether Redis did not answer the last read in time. */
  let isSilent = false
  /** Until when this replica uses its lease. */
  let leased = 0
  /** Updates that are being prepared, and how many ever were. No lease is taken meanwhile. */
  let preparing = 0
  let prepared = 0
  const waiting = new Set<() => void>()

  const isShared = () => redis.status() === 'up' && isActive()

  /** Reads the floor, and takes a lease if this replica has reached it. -1 without an answer of Redis. */
  async function read(): Promise<number> {
    if (preparing > 0) return Number((await redis.run((client) => client.get(floorKey))) ?? -1)
    const sent = now()
    const count = prepared
    const answer = await takeLease(keys, [id, newest(), LEASE, LIFETIME])
    const [floor, isGranted] = answer as [number, number]
    if (isGranted === 1 && count === prepared) leased = sent + USE
    return floor
  }

  function begin(): Promise<number> {
    const readOnce = () =>
      read().then((floor) => {
        isSilent = false
        return floor
      })
    const begun = askInTime(readOnce, SILENCE, undefined, now)
      .then((floor) => {
        if (floor === undefined) isSilent = true
        return floor ?? -1
      })
      .finally(() => {
        if (reading === begun) reading = undefined
      })
    return (reading = begun)
  }

  /** A read that starts after this call. A read in flight may miss a block that was shown meanwhile, unless it got a lease. */
  function readAnew(): Promise<number> {
    if (!reading) return begin()
    next ??= reading.then((floor) => {
      next = undefined
      return now() < leased || isSilent ? floor : begin()
    })
    return next
  }

  function waitFor(floor: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(limit)
        waiting.delete(check)
      }
      const check = () => {
        if (newest() < floor) return
        end()
        resolve()
      }
      const limit = whenLate(() => {
        end()
        reject(
          new UpstreamError(
            `another replica has served block ${floor}, which this replica has not reached yet`,
          ),
        )
      }, CATCH_UP_TIMEOUT)
      waiting.add(check)
    })
  }

  async function reach(): Promise<void> {
    const floor = await readAnew()
    return newest() >= floor ? undefined : waitFor(floor)
  }

  /** Milliseconds until the last lease for a block below `number` ends. 0 without an answer of Redis too. */
  function leasesLeft(number: number, removed: number | ''): Promise<number> {
    const raiseOnce = () => raise(keys, [id, number, removed, LIFETIME]).then(Number)
    return askInTime(raiseOnce, ANSWER_LIMIT, 0, now)
  }

  return {
    /**
     * Undefined when this replica may answer now. Otherwise resolves when it has the newest block that any replica had
     * shown at the time of the call. Calls at the same time share one read of Redis. If Redis is down it resolves at once. If Redis
     * does not answer, the calls that are waiting wait for `SILENCE`, and the calls after them do not wait until it answers again.
     *
     * @throws UpstreamError when this replica does not reach that block in time.
     */
    reached(): Promise<void> | undefined {
      if (!isShared()) return undefined
      const left = leased - now()
      if (left <= 0 && !isSilent) return reach()
      // A failure leaves the lease to its end. The calls after that report it.
      if (left < RENEW && !reading) void begin()
      return undefined
    },
    /**
     * Ends the read leases for blocks that are older than the newest one of this update. Call it before the update is
     * applied. Resolves when all have ended, or when Redis does not answer for half a second.
     */
    async prepare({ added, removed }: Pick<ChainUpdate, 'added' | 'removed'>): Promise<void> {
      if ((added.length === 0 && removed.length === 0) || !isShared()) return
      // A reorg may end at a lower block.
      const number = added.at(-1)?.number ?? (removed.at(-1)?.number ?? 0) - 1
      prepared++
      preparing++
      leased = 0
      for (let pause = 1; ; pause = Math.min(2 * pause, PAUSE)) {
        const left = await leasesLeft(number, removed[0]?.number ?? '')
        if (left === 0) break
        await sleep(Math.min(pause, left), undefined, { ref: false })
      }
      preparing--
    },
    /** Call it after an update was applied. */
    moved(): void {
      // A lease is for the block before. It may have been granted after the preparation and before the update.
      prepared++
      leased = 0
      for (const check of waiting) check()
    },
    stop: () => waiting.clear(),
  }
}

export declare namespace createSharedFloor {
  type Options = {
    /** Whether this replica takes part: its Redis has the keys of its chain. */
    isActive: () => boolean
    /** The height of the newest block of this replica; -1 before the first. */
    newest: () => number
    /** Monotonic milliseconds. */
    now: () => number
    redis: Pick<RedisLink, 'key' | 'run' | 'script' | 'status'>
  }
}
