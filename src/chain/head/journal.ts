import type { Hash } from 'viem'

import type { RedisLink } from '../../redis.ts'
import type { HeadBlock, HeadChange, RecentBlock } from '../headTypes.ts'
import { packBlock, unpackBlock } from './payload.ts'

/** One step as it stands in the stream: blocks are named, their contents are kept beside. */
export type JournalEntry = {
  /** Newest block before the step; empty before the first. */
  prev: Hash | ''
  /** Newest first. */
  removed: Hash[]
  /** Oldest first. */
  added: { number: number; hash: Hash }[]
  /** Newest block after the step. */
  tip: Hash
  solid: HeadBlock
}

/** The whole window as the journal has it, and where in the stream that was. */
export type Snapshot = {
  position: string
  solid: HeadBlock
  /** Ascending. */
  blocks: { number: number; hash: Hash }[]
  /** Blocks of the window's heights that were taken away. */
  orphans: Hash[]
}

/** `fenced`: another leads. `moved`: the newest block is not the one that the step starts from. */
type PublishOutcome = 'ok' | 'fenced' | 'moved'

/** The fleet's one sequence of steps, in Redis. Every call throws StoreUnavailableError when Redis is away. */
export type Journal = {
  /** Takes or renews the lease; the token that proves it, or undefined while another holds it. */
  lead(id: string): Promise<string | undefined>
  resign(token: string): Promise<void>
  /** Appends a step, only for the holder of the lease and only onto the block that it starts from. */
  publish(
    token: string,
    entry: JournalEntry,
    blocks: readonly RecentBlock[],
    oldest: number,
  ): Promise<PublishOutcome>
  snapshot(): Promise<Snapshot | undefined>
  /** Contents by hash; what has expired is missing. */
  blocks(hashes: readonly Hash[]): Promise<Map<Hash, RecentBlock>>
  /** Remembers the chain's genesis hash, or compares it with the one remembered. */
  sameChain(genesis: Hash): Promise<boolean>
  /** Steps after a position, as they come; waits up to a second for the first. */
  read(position: string): Promise<{ position: string; entry: JournalEntry }[]>
  close(): void
}

/** Milliseconds that a dead leader is waited for; the rest of the five seconds is for noticing and for the first look. */
export const LEASE = 3_000

/** Milliseconds that contents and state outlive their last renewal: a day. */
const TTL = 24 * 3_600_000

/** Steps kept; a reader that is further behind rebuilds from the window. */
const MAX_ENTRIES = 2_048

/** Blocks read at once. */
const BATCH = 32

const LEAD = `
local held = redis.call('GET', KEYS[1])
if held then
  if string.sub(held, 1, #ARGV[1] + 1) ~= ARGV[1] .. ':' then return false end
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
else
  held = ARGV[1] .. ':' .. redis.call('INCR', KEYS[2])
  redis.call('SET', KEYS[1], held, 'PX', ARGV[2])
end
for i = 2, #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
return held`

const RESIGN = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

const PUBLISH = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'fenced' end
if (redis.call('HGET', KEYS[2], 'tip') or '') ~= ARGV[2] then return 'moved' end
local entry = cjson.decode(ARGV[3])
for _, hash in ipairs(entry.removed) do
  local number = redis.call('ZSCORE', KEYS[3], hash)
  if number then redis.call('ZADD', KEYS[5], number, hash) end
  redis.call('ZREM', KEYS[3], hash)
end
for _, block in ipairs(entry.added) do
  redis.call('ZADD', KEYS[3], block.number, block.hash)
  redis.call('ZREM', KEYS[5], block.hash)
end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', '(' .. ARGV[5])
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', '(' .. ARGV[5])
redis.call('HSET', KEYS[2], 'tip', ARGV[4], 'solid', ARGV[8])
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[6], '*', 'entry', ARGV[3])
for i = 2, 5 do redis.call('PEXPIRE', KEYS[i], ARGV[7]) end
return 'ok'`

const SNAPSHOT = `
local solid = redis.call('HGET', KEYS[1], 'solid')
if not solid then return false end
local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)
return { last[1] and last[1][1] or '0-0', solid, redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES'),
  redis.call('ZRANGE', KEYS[4], 0, -1) }`

/** Opens the journal; it reads the stream over a connection of its own. */
export function createJournal(link: RedisLink): Journal {
  const keys = {
    fence: link.key('head:fence'),
    genesis: link.key('head:genesis'),
    lease: link.key('head:lease'),
    orphans: link.key('head:orphans'),
    state: link.key('head:state'),
    stream: link.key('head:stream'),
    window: link.key('head:window'),
  }
  const blockKey = (hash: Hash) => link.key(`head:block:${hash}`)
  const lead = link.script(LEAD)
  const resign = link.script(RESIGN)
  const publish = link.script(PUBLISH)
  const snapshot = link.script(SNAPSHOT)
  const reader = link.blocking()

  return {
    async lead(id) {
      const token = await lead(
        [keys.lease, keys.fence, keys.state, keys.window, keys.stream, keys.genesis, keys.orphans],
        [id, LEASE, TTL],
      )
      return typeof token === 'string' ? token : undefined
    },
    async resign(token) {
      await resign([keys.lease], [token])
    },
    async publish(token, entry, blocks, oldest) {
      for (const block of blocks) {
        const bytes = await packBlock(block)
        await link.run((client) => client.set(blockKey(block.hash), bytes, 'PX', TTL))
      }
      return (await publish(
        [keys.lease, keys.state, keys.window, keys.stream, keys.orphans],
        [
          token,
          entry.prev,
          JSON.stringify(entry),
          entry.tip,
          oldest,
          MAX_ENTRIES,
          TTL,
          JSON.stringify(entry.solid),
        ],
      )) as PublishOutcome
    },
    async snapshot() {
      const found = (await snapshot([keys.state, keys.window, keys.stream, keys.orphans], [])) as
        | [string, string, string[], Hash[]]
        | null
      if (!found) return undefined
      const [position, solid, members, orphans] = found
      const blocks: Snapshot['blocks'] = []
      for (let index = 0; index < members.length; index += 2)
        blocks.push({ hash: members[index] as Hash, number: Number(members[index + 1]) })
      return { blocks, orphans, position, solid: JSON.parse(solid) as HeadBlock }
    },
    async blocks(hashes) {
      const found = new Map<Hash, RecentBlock>()
      for (let start = 0; start < hashes.length; start += BATCH) {
        const batch = hashes.slice(start, start + BATCH)
        const packed = await link.run((client) => client.mgetBuffer(batch.map(blockKey)))
        for (const [index, bytes] of packed.entries()) {
          const hash = batch[index]
          if (bytes && hash) found.set(hash, await unpackBlock(bytes))
        }
      }
      return found
    },
    async sameChain(genesis) {
      await link.run((client) => client.set(keys.genesis, genesis, 'PX', TTL, 'NX'))
      return (await link.run((client) => client.get(keys.genesis))) === genesis
    },
    async read(position) {
      const answer = await reader.xread(
        'COUNT',
        BATCH,
        'BLOCK',
        1_000,
        'STREAMS',
        keys.stream,
        position,
      )
      return (answer?.[0]?.[1] ?? []).map(([position, fields]) => ({
        position,
        entry: JSON.parse(fields[1] ?? '') as JournalEntry,
      }))
    },
    close: () => reader.disconnect(),
  }
}

/** The stream's form of a step between two newest blocks. */
export function toEntry(prev: Hash | '', change: HeadChange, tip: Hash): JournalEntry {
  return {
    prev,
    removed: change.removed.map(({ hash }) => hash),
    added: change.added.map(({ hash, number }) => ({ number, hash })),
    tip,
    solid: change.solid,
  }
}
