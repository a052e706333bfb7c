import { wantedKinds } from '../codec/accounts.ts'
import type { Call } from '../lib/call.ts'
import { RpcError, UpstreamError } from '../lib/errors.ts'
import { together } from '../lib/together.ts'
import type { Blocks } from './blocks/blocks.ts'
import type { CachedBlock } from './blocks/cachedBlock.ts'
import type { HistoryQuery, HistoryRows } from './blocks/chainTypes.ts'
import { gapsBetween } from './logs/indexedLogs.ts'
import type { AccountIndex } from './reads/accountIndex.ts'
import type { BlockRange } from './reads/blockRange.ts'

/** A transaction of a history. */
type HistoryPlace = { block: CachedBlock; index: number; kinds: number }

/** A part of a history, in the order of the request. */
type HistoryPart = Omit<HistoryRows, 'rows'> & { places: HistoryPlace[] }

/** Attempts of a search that reorgs interrupt. */
const ATTEMPTS = 3

/** Blocks that are read at a time. */
const CONCURRENCY = 32

/**
 * Finds the transactions of an account: in the index, and in blocks that the index does not cover, such as the newest ones. At most
 * `maxBlocks` are read; then the part ends.
 *
 * @throws UpstreamError, the signal's reason
 */
export async function searchHistory(
  query: HistoryQuery,
  options: searchHistory.Options,
): Promise<HistoryPart> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const epoch = options.blocks.epoch()
    const found = await searchOnce(query, options)
    const isSame = found.places.every(({ block: { id } }) => {
      return (options.blocks.hashAt(id.number) ?? id.hash) === id.hash
    })
    if (isSame && epoch === options.blocks.epoch()) return found
  }
  throw new UpstreamError('a reorg is in progress: retry this search')
}

export declare namespace searchHistory {
  type Options = {
    blocks: Pick<Blocks, 'epoch' | 'get' | 'hashAt'>
    index: AccountIndex | undefined
    /** Newest block. */
    latest: number
    /** Blocks that one search may read. */
    maxBlocks: number
    call?: Call | undefined
  }
}

/** @param extra - places that the index is asked for beside the limit, after a hash that accounts share took some */
async function searchOnce(
  query: HistoryQuery,
  options: searchHistory.Options,
  extra = 0,
): Promise<HistoryPart> {
  const { blocks, index, latest, maxBlocks, call } = options
  const { bound, limit, order } = query
  const isDown = order === 'newest'
  const isWhole = bound?.index === undefined
  const places: HistoryPlace[] = []
  /** The next block to search, in the order of the request. */
  let next = bound ? bound.number : isDown ? latest : 0
  if (bound && isWhole) next += isDown ? -1 : 1
  const oldest = index?.from ?? 0
  // Nothing is known of what is before.
  const hasLess = oldest > 0 && (isDown || next < oldest)
  next = Math.min(isDown ? next : Math.max(next, oldest), isDown ? latest : latest + 1)
  const first = next
  const isFull = () => places.length > limit
  const part = (isCut: boolean): HistoryPart => ({
    places: places.slice(0, limit),
    hasMore: isFull(),
    searched: isDown ? { from: next + 1, to: first } : { from: first, to: next - 1 },
    isCut,
  })

  /** Adds the transactions of a block that are wanted and after the bound. From the block itself, so hashes that are shared do no harm. */
  function take(block: CachedBlock): void {
    const edge = bound?.number === block.id.number ? bound.index : undefined
    const all = [...block.concerned().entries()]
    for (const [index, concerned] of isDown ? all.toReversed() : all) {
      if (isFull()) return
      const kinds = wantedKinds(concerned, query)
      const isAfter = edge === undefined || (isDown ? index < edge : index > edge)
      if (kinds !== undefined && isAfter) places.push({ block, index, kinds })
    }
  }

  /** Reads blocks in the order of the request until there are enough transactions. */
  async function scan({ from, to }: BlockRange): Promise<void> {
    const numbers = Array.from({ length: to - from + 1 }, (_, at) => (isDown ? to - at : from + at))
    for (let at = 0; at < numbers.length && !isFull(); at += CONCURRENCY) {
      call?.signal?.throwIfAborted()
      for (const block of await read(numbers.slice(at, at + CONCURRENCY))) {
        if (isFull()) return
        take(block)
        next = block.id.number + (isDown ? -1 : 1)
      }
    }
  }

  const read = (numbers: readonly number[]): Promise<CachedBlock[]> =>
    together(call, (own) =>
      numbers.map(async (number) => {
        const block = await blocks.get(number, own)
        if (!block) throw new UpstreamError(`the node does not have block ${number}`)
        return block
      }),
    )

  // The block of the bound is read, so that what comes before the bound does not count towards the limit.
  if (!isWhole && next === bound?.number) await scan({ from: next, to: next })
  const range = isDown ? { from: oldest, to: next } : { from: next, to: latest }
  // What is before a fork can still be an error of the index.
  if (isFull() || (range.from > range.to && !hasLess)) return part(false)
  const { account, kinds, list } = query
  const asked = limit - places.length + extra
  const answer = await index?.accounts(
    { ...range, account, kinds, limit: asked, list, order },
    { call, isOptional: false },
  )
  const covered = answer?.covered ?? []
  const parts = [
    ...covered.map((range) => ({ ...range, isIndexed: true })),
    ...gapsBetween(covered, range).map((range) => ({ ...range, isIndexed: false })),
  ].toSorted((a, b) => (isDown ? b.to - a.to : a.from - b.from))
  let left = maxBlocks
  for (const { from, isIndexed, to } of parts) {
    if (isFull()) break
    if (isIndexed) {
      const found = (answer?.places ?? []).filter(({ block }) => block >= from && block <= to)
      const numbers = [...new Set(found.map(({ block }) => block))]
      for (let at = 0; at < numbers.length && !isFull(); at += CONCURRENCY)
        for (const block of await read(numbers.slice(at, at + CONCURRENCY))) take(block)
      if (isFull()) break
      const stop = answer?.stoppedAt
      if (stop !== undefined && stop >= from && stop <= to) throw tooSlow()
      const last = answer?.places[asked]
      if (last && found.at(-1) === last) return searchOnce(query, options, extra * 2 + limit + 1)
      next = isDown ? from - 1 : to + 1
      continue
    }
    const length = to - from + 1
    const few = Math.min(length, left)
    if (few > 0) await scan(isDown ? { from: to - few + 1, to } : { from, to: from + few - 1 })
    left -= few
    if (few < length && !isFull()) return part(true)
  }
  return part(hasLess && !isFull())
}

function tooSlow(): RpcError {
  return new RpcError(-32005, 'query took too long: ask for fewer transactions')
}
