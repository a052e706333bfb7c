import type { AccountAnswer, AccountPlace, AccountRequest } from '../../chain/reads/accountIndex.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import type { Engine, View } from '../engine/engine.ts'
import {
  byAccount,
  byCreated,
  createHasher,
  PART_BLOCKS,
  PART_LEVEL,
  postingKey,
} from '../format/keys.ts'
import { isParted, listOf, partsOf } from '../format/merged.ts'
import { INDICES, KIND_BITS, readPlaces } from '../format/postings.ts'
import {
  coverageOf,
  firstOf,
  lastOf,
  readSegments,
  type Segment,
  withAccounts,
} from '../store/coverage.ts'
import type { Facts } from '../store/facts.ts'
import { createTurns, TURN } from './turns.ts'

/** Segments that are looked up together: few at first, because the first ones may already fill the limit. */
const FIRST_BATCH = 4
const LARGEST_BATCH = 256

/** Creates the searches for transactions of accounts of one thread. */
export function createAccountSearcher({
  deadline,
  engine,
  facts,
  now = () => performance.now(),
}: createAccountSearcher.Options) {
  const hash = createHasher(facts.seed)
  const turns = createTurns()

  return {
    /** @throws the signal's reason */
    search: (request: AccountRequest, signal?: StopSignal): Promise<AccountAnswer> =>
      engine.read(async (view) => {
        const { account, from, limit, list, order, to } = request
        const segments = withAccounts(await readSegments(view)).filter(
          (segment) => lastOf(segment) >= from && firstOf(segment) <= to,
        )
        const covered = coverageOf(segments).map((range) => ({
          from: Math.max(from, range.from),
          to: Math.min(to, range.to),
        }))
        const answer: AccountAnswer = { covered, places: [], reads: 0 }
        if (order === 'newest') segments.reverse()
        const value = hash(list === 'concerns' ? byAccount(account) : byCreated(account))
        const started = now()
        let turn = started
        for (let at = 0, size = FIRST_BATCH; at < segments.length; size = LARGEST_BATCH) {
          const batch = segments.slice(at, at + size)
          at += batch.length
          const keys = batch.map(({ level, segment }) => postingKey(level, segment, value))
          const found = await view.get('postings', keys)
          answer.reads += keys.length
          for (const [index, list] of found.entries()) {
            const segment = batch[index] as Segment
            if (!list) continue
            for await (const part of listsOf(view, segment, list, value, request)) {
              answer.reads += 1
              take(part.list, part.start, request, answer.places)
              if (answer.places.length > limit) return answer
            }
            const time = now()
            if (time - turn < TURN) continue
            await turns.next(time - started)
            signal?.throwIfAborted()
            if (now() - started > deadline)
              return {
                ...answer,
                stoppedAt: order === 'newest' ? firstOf(segment) : lastOf(segment),
              }
            turn = now()
          }
        }
        return answer
      }),
  }
}

export declare namespace createAccountSearcher {
  type Options = {
    engine: Engine
    facts: Facts
    /** Milliseconds that one search may take. */
    deadline: number
    /** Milliseconds. @default performance.now */
    now?: () => number
  }
}

/** The lists of a value in a segment, one for each part of a long one, in the order of the request. */
async function* listsOf(
  view: View,
  segment: Segment,
  value: Buffer,
  hash: string,
  { from, order, to }: AccountRequest,
): AsyncGenerator<{ list: Buffer; start: number }> {
  const start = firstOf(segment)
  if (segment.level !== 2) yield { list: value, start }
  else if (!isParted(value)) yield { list: listOf(value), start }
  else {
    const first = start / PART_BLOCKS
    const parts = [...partsOf(value)]
      .map((part) => first + part)
      .filter((part) => part * PART_BLOCKS <= to && (part + 1) * PART_BLOCKS > from)
    for (const part of order === 'newest' ? parts.toReversed() : parts) {
      const [list] = await view.get('postings', [postingKey(PART_LEVEL, part, hash)])
      if (list) yield { list, start: part * PART_BLOCKS }
    }
  }
}

/** Adds the places of a list that are wanted, up to one more than the limit. */
function take(
  list: Buffer,
  start: number,
  { from, kinds, limit, order, to }: AccountRequest,
  into: AccountPlace[],
): void {
  const places = readPlaces(list, start, { from, to })
  if (order === 'newest') places.reverse()
  for (const place of places) {
    if (into.length > limit) return
    const block = Math.floor(place / INDICES)
    const rest = place - block * INDICES
    const own = rest % KIND_BITS
    if (kinds === 0 || (own & kinds) !== 0)
      into.push({ block, index: (rest - own) / KIND_BITS, kinds: own })
  }
}
