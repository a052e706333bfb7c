import type { BlockRange } from '../../chain/reads/blockRange.ts'
import type { LogSearch } from '../../codec/logPack/match.ts'
import { type LogPack, type PackedLog, readPack } from '../../codec/logPack/reader.ts'
import { createRowWriter, type RowWriter } from '../../codec/logPack/rowWriter.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import type { Engine, View } from '../engine/engine.ts'
import { blockOf, createHasher, packKey } from '../format/keys.ts'
import { INDICES } from '../format/postings.ts'
import { coverageOf, firstOf, lastOf, readSegments, type Segment } from '../store/coverage.ts'
import type { Facts } from '../store/facts.ts'
import { type Anchor, type Half, halfOf, hasAnchor } from './half.ts'
import { placesIn } from './places.ts'
import { type Plan, planOf } from './plan.ts'
import { createTurns, TURN } from './turns.ts'

/** A search in a range of blocks, both ends included. */
export type SearchRequest = LogSearch & {
  from: number
  to: number
  /** Rows wanted; one more is given when there are more. Absent counts and gives no rows. */
  limit?: number
  /** Without this block in the snapshot, nothing is searched. */
  anchor?: Anchor
}

/** The answer of one snapshot of the index. */
export type SearchAnswer = {
  /** The parts of the range that were searched, in order. What is not in them is not in the index. */
  covered: BlockRange[]
  /** Logs that match. */
  count: number
  /** Block of each row, and where its text ends in `bytes`. */
  blocks: Float64Array
  ends: Uint32Array
  /** The rows as JSON, commas between. */
  bytes: Buffer
  /** Posting lists and packs of logs that were read. */
  reads: number
  /** Set when the deadline passed: blocks after this one were not searched. */
  stoppedAfter?: number
  /** Set when the snapshot does not have the anchor. */
  lacksAnchor?: true
}

/** Milliseconds of work after which a search may be split. */
const SPLIT_AFTER = 2

/** Segments that are looked up together: few at first, because the first ones may already fill the limit. */
const FIRST_BATCH = 4
const FIRST_LISTS = 128
const LARGEST_BATCH = 128

/** Lists that are looked up together, about: they take some milliseconds, in which no other search gets a turn. */
const LISTS = 4_096

/** Packs that are read together, and those of the last block. */
const PACKS = 128

/** Searches one engine. */
export type Searcher = ReturnType<typeof createSearcher>

/** Creates the searches of one thread over an engine. */
export function createSearcher({
  deadline,
  engine,
  facts,
  now = () => performance.now(),
  splitAfter = SPLIT_AFTER,
}: createSearcher.Options) {
  const hash = createHasher(facts.seed)
  const kept = facts.addresses && new Set(facts.addresses)
  const turns = createTurns()

  return {
    /**
     * @param onHalf - Called at most once, when the search is long, with its second half. This search then answers only for the
     * blocks before it.
     * @throws the signal's reason
     */
    search: (request: SearchRequest, signal?: StopSignal, onHalf?: (half: Half) => void) =>
      engine.read(async (snapshot) => {
        const { reads, view } = countReads(snapshot)
        const rows = createRowWriter()
        const answer = (
          covered: SearchAnswer['covered'],
          count: number,
          more?: Pick<SearchAnswer, 'lacksAnchor' | 'stoppedAfter'>,
        ): SearchAnswer => ({ covered, count, ...rows.take(), reads: reads(), ...more })
        if (kept && !answers(kept, request)) return answer([], 0)
        const segments = await readSegments(view)
        if (request.anchor && !hasAnchor(segments, request.anchor))
          return answer([], 0, { lacksAnchor: true })
        const covered = coverageOf(segments).flatMap(({ from, to }) =>
          to < request.from || from > request.to
            ? []
            : [{ from: Math.max(from, request.from), to: Math.min(to, request.to) }],
        )
        const plan = planOf(request, hash)
        if (!plan) return answer(covered, 0)
        const lists = plan.constraints.reduce((sum, { length }) => sum + length, 0)
        let maySplit = onHalf && covered.length === 1 && lists > 0
        const run = createRun({
          limit: request.limit,
          lists,
          logsPerPack: engine.logsPerPack,
          plan,
          rows,
          segments,
          view,
        })
        const started = now()
        let turn = started
        let worked = 0
        let last = request.from - 1
        for (const part of covered)
          for await (const done of run.steps(part)) {
            last = done
            if (run.isFull()) return answer(covered, run.count())
            const time = now()
            const half =
              maySplit &&
              halfOf({
                count: run.count(),
                done,
                limit: request.limit,
                lists,
                range: part,
                segments,
                splitAfter,
                worked: worked + time - turn,
              })
            if (half) {
              maySplit = false
              part.to = half.from - 1
              onHalf?.(half)
            }
            if (time - turn >= TURN) {
              await turns.next((worked += time - turn))
              signal?.throwIfAborted()
              if (time - started > deadline)
                return answer(covered, run.count(), { stoppedAfter: last })
              turn = now()
            }
            if (done >= part.to) break
          }
        return answer(covered, run.count())
      }),
  }
}

export declare namespace createSearcher {
  type Options = {
    engine: Engine
    facts: Facts
    /** Milliseconds that one search may take. */
    deadline: number
    /** Milliseconds. @default performance.now */
    now?: () => number
    /** Milliseconds of work after which a search may be split. @default 2 */
    splitAfter?: number | undefined
  }
}

/** One search in flight. */
function createRun({ limit, lists, logsPerPack, plan, rows, segments, view }: createRun.Options) {
  let count = 0
  const isFull = () => limit !== undefined && count > limit

  /** Adds a log to the result if it matches. */
  function take(pack: LogPack, block: number, log: PackedLog): void {
    if (isFull() || !plan.matches(pack, log)) return
    count += 1
    if (limit !== undefined) rows.add(pack, block, log)
  }

  /** Reads the logs at some places. Each step ends after a whole block, and gives the number of places that are read. */
  async function* read(places: readonly number[], range: { to: number }): AsyncGenerator<number> {
    let next = 0
    const isLeft = () => (places[next] ?? Infinity) < (range.to + 1) * INDICES
    while (isLeft() && !isFull()) {
      const keys: Buffer[] = []
      // Where the places of each pack begin.
      const starts: number[] = []
      let block = -1
      let pack = -1
      for (; isLeft(); next++) {
        const place = places[next] as number
        const blockHere = Math.floor(place / INDICES)
        // The remainder of numbers above 2^31 is a slow call.
        const packHere = Math.floor((place - blockHere * INDICES) / logsPerPack)
        if (blockHere === block && packHere === pack) continue
        if (keys.length >= PACKS && blockHere !== block) break
        block = blockHere
        pack = packHere
        keys.push(packKey(block, pack))
        starts.push(next)
      }
      starts.push(next)
      await view.each('logs', keys, (bytes, index) => {
        let at = starts[index] as number
        const block = Math.floor((places[at] as number) / INDICES)
        if (!bytes)
          throw new Error(
            `the log index lacks logs of block ${block}: check it with "ethgate index verify"`,
          )
        const offset = block * INDICES
        const pack = readPack(bytes)
        const last = (places[(starts[index + 1] as number) - 1] as number) - offset
        pack.each((log) => {
          if (offset + log.index !== places[at]) return
          at += 1
          take(pack, block, log)
        }, last)
      })
      yield next
    }
  }

  async function* searchLists(range: BlockRange): AsyncGenerator<number> {
    const inRange = segments.filter(
      (segment) => lastOf(segment) >= range.from && firstOf(segment) <= range.to,
    )
    const largest = Math.max(1, Math.min(LARGEST_BATCH, Math.floor(LISTS / lists)))
    let size = Math.max(1, Math.min(FIRST_BATCH, Math.floor(FIRST_LISTS / lists)))
    for (let at = 0; at < inRange.length; size = Math.min(size * 2, largest)) {
      const batch = inRange.slice(at, at + size)
      at += size
      for await (const step of placesIn(view, batch, range, plan.constraints)) {
        for await (const places of read(step.places, range)) {
          const next = step.places[places]
          if (next !== undefined) yield Math.floor(next / INDICES) - 1
        }
        yield step.done
      }
    }
  }

  async function* readAll({ from, to }: BlockRange): AsyncGenerator<number> {
    let start = packKey(from, 0)
    const end = packKey(to + 1, 0)
    for (;;) {
      const entries = await view.range('logs', { from: start, to: end, limit: PACKS })
      for (const { key, value } of entries) {
        const block = blockOf(key)
        const pack = readPack(value)
        pack.each((log) => take(pack, block, log))
      }
      const last = entries.at(-1)
      if (!last || entries.length < PACKS) break
      start = Buffer.concat([last.key, Buffer.from([0])])
      yield blockOf(last.key) - 1
    }
    yield to
  }

  return {
    /**
     * Searches a part that is covered. Each step gives the last block that is done. A search in lists has added no row
     * after that block, so the caller may lower the end of the range between two steps.
     */
    steps: (range: BlockRange) =>
      plan.constraints.length === 0 ? readAll(range) : searchLists(range),
    isFull,
    count: () => count,
  }
}

declare namespace createRun {
  type Options = {
    limit: number | undefined
    /** Lists to look up in each segment. */
    lists: number
    logsPerPack: number
    plan: Plan
    rows: RowWriter
    segments: readonly Segment[]
    view: View
  }
}

/** Counts the rows that a search reads. */
function countReads(view: View): { reads: () => number; view: View } {
  let count = 0
  return {
    reads: () => count,
    view: {
      get(table, keys) {
        count += keys.length
        return view.get(table, keys)
      },
      each(table, keys, visit) {
        count += keys.length
        return view.each(table, keys, visit)
      },
      async range(table, range) {
        const entries = await view.range(table, range)
        count += entries.length
        return entries
      },
    },
  }
}

/** Whether an index that keeps the logs of some contracts can answer a search. */
function answers(kept: ReadonlySet<string>, { addresses }: LogSearch): boolean {
  return addresses.length > 0 && addresses.every((address) => kept.has(address))
}
