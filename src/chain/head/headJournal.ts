import type { Hash } from 'viem'

import { type RedisLink, StoreUnavailableError } from '../../lib/redis.ts'
import type { ChainUpdate, HeadBlock, RecentBlock } from './headTypes.ts'
import { packBlock, unpackBlock } from './payload.ts'

/** One update in the form of the stream: blocks by hash. Their contents have separate keys. */
export type JournalEntry = {
  /** Newest block before the update; empty before the first. */
  prev: Hash | ''
  /** Newest first. */
  removed: Hash[]
  /** Oldest first. */
  added: { number: number; hash: Hash }[]
  /** Newest block after the update. */
  tip: Hash
  /** The solidified block. */
  solidified: HeadBlock
  /** Hash of block 1, if the leader knows it. */
  first?: Hash | undefined
}

/** An entry with its stream id. `entry` is absent when the stream entry is unreadable. */
export type StreamedEntry = { position: string; entry: JournalEntry | undefined }

/** The journal's window, and the id of the stream entry that it includes. */
export type Snapshot = {
  position: string
  solidified: HeadBlock
  /** Ascending. */
  blocks: { number: number; hash: Hash }[]
  /** Blocks of the window's heights that a reorg removed. */
  orphans: Hash[]
  /** Hash of block 1, if known. */
  first: Hash | undefined
}

/** `fenced`: another replica leads. `moved`: the newest block is not the one that the update starts from. */
type PublishOutcome = 'ok' | 'fenced' | 'moved'

/**
 * The one sequence of chain updates of all replicas, in Redis. Every call throws StoreUnavailableError when Redis
 * cannot be used.
 */
export type HeadJournal = ReturnType<typeof createHeadJournal>

/** Lifetime of the lease in milliseconds: the time after which another replica replaces a dead leader. */
export const LEASE = 3_000

/** Lifetime of contents and state after their last renewal, in milliseconds: a day. */
const TTL = 24 * 3_600_000

/** Entries of the stream. A reader that is further behind rebuilds its window from the journal's. */
const MAX_ENTRIES = 2_048

/** Blocks or entries read with one command. */
const BATCH = 32

const CLAIM_KEYS = `
if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return ARGV[1] end
return redis.call('GET', KEYS[1])`

// Each renewal writes the lease, so that the replica detects a Redis that refuses writes.
const ACQUIRE_LEASE = `
local held = redis.call('GET', KEYS[1])
local isOwn = held and string.sub(held, 1, #ARGV[1] + 1) == ARGV[1] .. ':'
if held and not isOwn and held ~= ARGV[4] then return { 0, held } end
if not isOwn then held = ARGV[1] .. ':' .. redis.call('INCR', KEYS[2]) end
redis.call('SET', KEYS[1], held, 'PX', ARGV[2])
for i = 2, #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
return { 1, held }`

const RELEASE_LEASE = `
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
if entry.first then redis.call('HSET', KEYS[2], 'first', entry.first) end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[6], '*', 'entry', ARGV[3])
for i = 2, 5 do redis.call('PEXPIRE', KEYS[i], ARGV[7]) end
return 'ok'`

const SNAPSHOT = `
local solid = redis.call('HGET', KEYS[1], 'solid')
if not solid then return false end
local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)
return { last[1] and last[1][1] or '0-0', solid, redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES'),
  redis.call('ZRANGE', KEYS[4], 0, -1), redis.call('HGET', KEYS[1], 'first') }`

/** Opens the journal. It reads the stream over a separate connection, because such a read blocks the connection. */
export function createHeadJournal(link: RedisLink) {
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
  const claimKeys = link.script(CLAIM_KEYS)
  const acquireLease = link.script(ACQUIRE_LEASE)
  const releaseLease = link.script(RELEASE_LEASE)
  const publish = link.script(PUBLISH)
  const snapshot = link.script(SNAPSHOT)
  const reader = link.blocking()

  return {
    /**
     * Acquires or renews the lease.
     *
     * @param deposed - the token of a leader whose lease is taken from it.
     * @returns the token that proves the lease, and whether it is that of this replica.
     */
    async acquireLease(id: string, deposed = ''): Promise<{ isOwn: boolean; token: string }> {
      const [isOwn, token] = (await acquireLease(
        [keys.lease, keys.fence, keys.state, keys.window, keys.stream, keys.genesis, keys.orphans],
        [id, LEASE, TTL, deposed],
      )) as [number, string]
      return { isOwn: isOwn === 1, token }
    },
    async releaseLease(token: string): Promise<void> {
      await releaseLease([keys.lease], [token])
    },
    /** Appends an update if `token` holds the lease and the update starts from the journal's newest block. */
    async publish(
      token: string,
      entry: JournalEntry,
      blocks: readonly RecentBlock[],
      oldest: number,
    ): Promise<PublishOutcome> {
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
          JSON.stringify(entry.solidified),
        ],
      )) as PublishOutcome
    },
    async snapshot(): Promise<Snapshot | undefined> {
      const found = (await snapshot([keys.state, keys.window, keys.stream, keys.orphans], [])) as
        | [string, string, string[], Hash[], Hash | null]
        | null
      if (!found) return undefined
      const [position, solid, members, orphans, first] = found
      const blocks: Snapshot['blocks'] = []
      for (let index = 0; index < members.length; index += 2)
        blocks.push({ hash: members[index] as Hash, number: Number(members[index + 1]) })
      return {
        blocks,
        first: first ?? undefined,
        orphans,
        position,
        solidified: JSON.parse(solid) as HeadBlock,
      }
    },
    /** Contents by hash. Those that have expired are absent. */
    async blocks(hashes: readonly Hash[]): Promise<Map<Hash, RecentBlock>> {
      const found = new Map<Hash, RecentBlock>()
      for (let start = 0; start < hashes.length; start += BATCH) {
        const batch = hashes.slice(start, start + BATCH)
        const packed = await link.run((client) => client.mgetBuffer(batch.map(blockKey)))
        for (const [index, bytes] of packed.entries()) {
          const hash = batch[index]
          const block = bytes ? await unpackBlock(bytes) : undefined
          if (hash && block?.hash === hash) found.set(hash, block)
        }
      }
      return found
    },
    /** Whether the keys belong to the chain of this genesis hash. The first replica claims them. */
    async isSameChain(genesis: Hash): Promise<boolean> {
      return (await claimKeys([keys.genesis], [genesis, TTL])) === genesis
    },
    /** Entries after a position. Waits up to a second for the first one. */
    async read(position: string): Promise<StreamedEntry[]> {
      const answer = await reader
        .xread('COUNT', BATCH, 'BLOCK', 1_000, 'STREAMS', keys.stream, position)
        .catch((error: unknown) => {
          throw new StoreUnavailableError(error)
        })
      return (answer?.[0]?.[1] ?? []).map(([position, fields]) => ({
        position,
        entry: parseEntry(fields[1]),
      }))
    },
    close: () => reader.disconnect(),
  }
}

/** The stream's form of an update. `prev` and `tip` are the newest blocks before and after it. */
export function toEntry(prev: Hash | '', update: ChainUpdate, tip: Hash): JournalEntry {
  return {
    prev,
    removed: update.removed.map(({ hash }) => hash),
    added: update.added.map(({ hash, number }) => ({ number, hash })),
    tip,
    solidified: update.solidified,
    ...(update.first && { first: update.first }),
  }
}

/** Parses an entry; undefined when the text is not one. */
function parseEntry(text: string | undefined): JournalEntry | undefined {
  try {
    const entry = JSON.parse(text ?? '') as Partial<JournalEntry> | null
    return entry && isEntry(entry) ? entry : undefined
  } catch {
    return undefined
  }
}

function isEntry(input: Partial<JournalEntry>): input is JournalEntry {
  const { added, first, prev, removed, solidified, tip } = input
  return (
    (first === undefined || isHash(first)) &&
    Array.isArray(added) &&
    added.every((block) => isBlock(block)) &&
    Array.isArray(removed) &&
    removed.every((hash) => isHash(hash)) &&
    (prev === '' || isHash(prev)) &&
    isHash(tip) &&
    isBlock(solidified)
  )
}

function isBlock(input: Partial<JournalEntry['added'][number]> | null | undefined): boolean {
  return isHash(input?.hash) && Number.isSafeInteger(input?.number)
}

function isHash(input: unknown): input is Hash {
  return typeof input === 'string' && /^0x[0-9a-f]{64}$/.test(input)
}
