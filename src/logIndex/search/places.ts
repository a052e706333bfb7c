import type { BlockRange } from '../../chain/reads/blockRange.ts'
import type { View } from '../engine/engine.ts'
import { PART_BLOCKS, PART_LEVEL, postingKey } from '../format/keys.ts'
import { isParted, listOf, partsOf } from '../format/merged.ts'
import { intersect, readPlaces, sorted } from '../format/postings.ts'
import { firstOf, lastOf, type Segment } from '../store/coverage.ts'

/** A posting list and the first block of its segment. */
type List = { list: Buffer; start: number }

/** For each constraint of a search the lists of its values. */
type Lists = List[][]

/** Constraints of more values than this are looked up only when the others leave many logs. */
const MANY_VALUES = 64

/** With lists of fewer bytes, the constraints of many values are not looked up. */
const SHORT = 8 * 1024

/** Assumed bytes of a part of a long list, before it is read. */
const PART_WEIGHT = 16 * 1024

/** Reading a log to compare it costs about as much as reading so many bytes of a list. */
const BYTES_PER_LOG = 200

/** The lists of a segment that were looked up so far. */
type Lookup = { segment: Segment; range: BlockRange; found: (Buffer | undefined)[][] }

/**
 * Candidate places within some segments, in order, step by step. `done` is the last block of a step. Logs that
 * do not match may be among them, but none is missing.
 */
export async function* placesIn(
  view: View,
  segments: readonly Segment[],
  range: BlockRange,
  constraints: readonly string[][],
): AsyncGenerator<{ places: number[]; done: number }> {
  const ordered = constraints.toSorted((a, b) => a.length - b.length)
  const few = ordered.filter(({ length }, index) => index === 0 || length <= MANY_VALUES)
  const many = ordered.slice(few.length)
  const lookups = await lookUp(view, segments, range, few)
  for (const lookup of lookups) {
    const { segment } = lookup
    const done = lookup.range.to
    if (lookup.found.some((values) => values.every((value) => value === undefined))) {
      yield { places: [], done }
      continue
    }
    if (
      many.length > 0 &&
      Math.min(...lookup.found.map((values) => weightOf(segment, values))) > SHORT
    ) {
      const [more] = await lookUp(view, [segment], range, many)
      lookup.found.push(...(more?.found ?? []))
    }
    if (lookup.found.some((values) => !values.some((value) => value && isLong(segment, value))))
      yield { places: combine(shortLists(lookup), lookup.range), done }
    else yield* placesInParts(view, lookup, [...few, ...many])
  }
}

/** Looks every value up in every segment. */
async function lookUp(
  view: View,
  segments: readonly Segment[],
  range: BlockRange,
  constraints: readonly string[][],
): Promise<Lookup[]> {
  const keys: Buffer[] = []
  for (const { level, segment } of segments)
    for (const hashes of constraints)
      for (const hash of hashes) keys.push(postingKey(level, segment, hash))
  const values = await view.get('postings', keys)
  let next = 0
  return segments.map((segment) => ({
    segment,
    range: {
      from: Math.max(range.from, firstOf(segment)),
      to: Math.min(range.to, lastOf(segment)),
    },
    found: constraints.map((hashes) => hashes.map(() => values[next++])),
  }))
}

/** The lists of constraints without long lists. The other constraints are checked by comparing logs. */
function shortLists({ found, segment }: Lookup): Lists {
  const start = firstOf(segment)
  return found
    .filter((values) => !values.some((value) => value && isLong(segment, value)))
    .map((values) =>
      values.flatMap((value) =>
        value ? [{ list: segment.level === 2 ? listOf(value) : value, start }] : [],
      ),
    )
}

/** Goes through a merged segment where every constraint has a long list, part by part. */
async function* placesInParts(
  view: View,
  { found, range, segment }: Lookup,
  constraints: readonly string[][],
): AsyncGenerator<{ places: number[]; done: number }> {
  const start = firstOf(segment)
  const first = Math.floor(range.from / PART_BLOCKS)
  const last = Math.floor(range.to / PART_BLOCKS)
  for (let part = first; part <= last; part++) {
    const clip = {
      from: Math.max(range.from, part * PART_BLOCKS),
      to: Math.min(range.to, (part + 1) * PART_BLOCKS - 1),
    }
    const inSegment = part - start / PART_BLOCKS
    const keys: Buffer[] = []
    const owners: List[][] = []
    const lists: Lists = found.map((values, constraint) => {
      const own: List[] = []
      for (const [index, value] of values.entries()) {
        if (!value) continue
        if (!isParted(value)) own.push({ list: listOf(value), start })
        else if (partsOf(value).has(inSegment)) {
          keys.push(postingKey(PART_LEVEL, part, constraints[constraint]?.[index] ?? ''))
          owners.push(own)
        }
      }
      return own
    })
    const values = await view.get('postings', keys)
    for (const [index, list] of values.entries())
      if (list) owners[index]?.push({ list, start: part * PART_BLOCKS })
    yield { places: combine(lists, clip), done: clip.to }
  }
}

/** Places that are in one list of each constraint, cheapest first. Lists that cost more than comparing logs are left out. */
function combine(lists: Lists, range: BlockRange): number[] {
  const [lead = [], ...rest] = lists.toSorted((a, b) => bytesOf(a) - bytesOf(b))
  let places = union(lead, range)
  for (const others of rest) {
    if (bytesOf(others) > places.length * BYTES_PER_LOG) break
    places = intersect(places, union(others, range))
  }
  return places
}

function union(lists: readonly List[], range: BlockRange): number[] {
  const places: number[] = []
  for (const { list, start } of lists) readPlaces(list, start, range, places)
  return lists.length > 1 ? sorted(places) : places
}

function bytesOf(lists: readonly List[]): number {
  return lists.reduce((sum, { list }) => sum + list.length, 0)
}

function weightOf(segment: Segment, values: readonly (Buffer | undefined)[]): number {
  let weight = 0
  for (const value of values)
    if (value) weight += isLong(segment, value) ? partsOf(value).size * PART_WEIGHT : value.length
  return weight
}

function isLong({ level }: Segment, value: Buffer): boolean {
  return level === 2 && isParted(value)
}
