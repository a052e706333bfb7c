import { randomUUID } from 'node:crypto'

import type { Batch, Engine, Entry } from '../engine/engine.ts'
import {
  BLOCKS_OF_LEVEL,
  hashOf,
  type Level,
  PART_LEVEL,
  postingKey,
  segmentKey,
} from '../format/keys.ts'
import { LONG_LIST, mergedList, partedList } from '../format/merged.ts'
import { joinLists } from '../format/postings.ts'
import { entryOf, firstOf, readSegments, type Segment, withAccounts } from './coverage.ts'
import { removePostings } from './remove.ts'

/** The key of the progress of a merge in `facts`. */
const PROGRESS = Buffer.from('merge')

/** The claim for merging. */
export const MERGE_WORK = 'merge'

/** Whether something can be merged, or a merge was interrupted. Costs one read. */
export function canMerge(engine: Engine): Promise<boolean> {
  return engine.read(async (view) => {
    const [progress] = await view.get('facts', [PROGRESS])
    const segments = await readSegments(view)
    return (
      progress !== undefined ||
      findMergeable(segments, 0) !== undefined ||
      findMergeable(segments, 1) !== undefined
    )
  })
}

/**
 * Merges all that can be merged. Two processes that merge only do work twice; the claim avoids that.
 *
 * @throws the signal's reason. A merge that was interrupted is undone or completed by the next one.
 */
export async function mergeIndex(engine: Engine, signal?: AbortSignal): Promise<void> {
  const pause = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve))
    signal?.throwIfAborted()
  }
  while (await mergeAppended(engine));
  while (await mergeFilled(engine, pause));
}

/** Joins sixteen appended segments into one filled segment, when all exist. One transaction. */
export async function mergeAppended(engine: Engine): Promise<boolean> {
  const ready = findMergeable(await engine.read(readSegments), 0)
  if (!ready) return false
  return engine.write(async (batch) => {
    const parts = partsOf(await readSegments(batch), 0, ready.segment)
    if (!parts) return false
    const [from, to] = [parts[0]?.segment ?? 0, (parts.at(-1)?.segment ?? 0) + 1]
    const lists = new Map<string, { start: number; list: Buffer }[]>()
    const entries = await batch.range('postings', {
      from: segmentKey(0, from),
      to: segmentKey(0, to),
    })
    for (const { key, value } of entries)
      collect(lists, hashOf(key), {
        start: (key.readUInt32BE(1) - from) * BLOCKS_OF_LEVEL[0],
        list: value,
      })
    await batch.insert(
      'postings',
      sortedByHash(lists).map(([hash, found]) => ({
        key: postingKey(1, ready.segment, hash),
        value: joinLists(found),
      })),
    )
    await removePostings(batch, 0, from, to)
    await replaceSegments(batch, parts, 1, ready.segment)
    return true
  })
}

/** Slices of the values that one transaction merges: by the first byte of their hash. */
const SLICES = 64

/**
 * The state of a merge. `run` names who does it: a claim may expire while its owner still works, so every transaction of a merge first
 * looks whether it is still the one that is noted.
 */
type Progress = { run: string; segment: number; state: 'writing' | 'undoing' | 'deleting' }

/**
 * Joins 64 filled segments into one, when all exist. Many short transactions, so that others can write between them: rows
 * of the merged segment are not used before the last one puts it in place. An interrupted merge is undone or completed
 * first. When another process does that to this one, it stops.
 *
 * @returns whether something was merged.
 */
export async function mergeFilled(engine: Engine, pause: () => Promise<void>): Promise<boolean> {
  await finishMerge(engine, pause)
  const ready = findMergeable(await engine.read(readSegments), 1)
  if (!ready) return false
  const { segment } = ready
  const writing: Progress = { run: randomUUID(), segment, state: 'writing' }
  const isFirst = await engine.write(async (batch) => {
    if (await progressOf(batch)) return false
    await note(batch, writing)
    return true
  })
  if (!isFirst) return false
  for (let slice = 0; slice < SLICES; slice++) {
    if (!(await step(engine, writing, (batch) => mergeSlice(batch, segment, slice)))) return false
    await pause()
  }
  const isOwn = await step(engine, writing, async (batch) => {
    const parts = partsOf(await readSegments(batch), 1, segment)
    // A reorg may have removed a part meanwhile.
    if (parts) await replaceSegments(batch, parts, 2, segment)
    await note(batch, { ...writing, state: parts ? 'deleting' : 'undoing' })
  })
  if (!isOwn) return false
  await finishMerge(engine, pause)
  return true
}

/** Completes or undoes an interrupted merge. */
async function finishMerge(engine: Engine, pause: () => Promise<void>): Promise<void> {
  const progress = await engine.write(async (batch) => {
    const found = await progressOf(batch)
    if (!found) return undefined
    // Noted before the first row is removed, so that a process that still writes stops.
    const own: Progress = {
      ...found,
      run: randomUUID(),
      state: found.state === 'writing' ? 'undoing' : found.state,
    }
    await note(batch, own)
    return own
  })
  if (!progress) return
  const { segment, state } = progress
  const parts = BLOCKS_OF_LEVEL[2] / BLOCKS_OF_LEVEL[1]
  const first = segment * parts
  const level = state === 'undoing' ? PART_LEVEL : 1
  if (state === 'undoing') {
    const isOwn = await step(engine, progress, (batch) =>
      removePostings(batch, 2, segment, segment + 1),
    )
    if (!isOwn) return
  }
  for (let part = first; part < first + parts; part++) {
    const isOwn = await step(engine, progress, async (batch) => {
      // After a reorg the part may have been filled again.
      const segments = level === 1 ? await readSegments(batch) : []
      if (!segments.some((row) => row.level === 1 && row.segment === part))
        await removePostings(batch, level, part, part + 1)
    })
    if (!isOwn) return
    await pause()
  }
  await step(engine, progress, (batch) => batch.delete('facts', [PROGRESS]))
}

/** A transaction of a merge. @returns false, with nothing done, when another process has taken the merge over. */
function step(
  engine: Engine,
  { run }: Progress,
  work: (batch: Batch) => Promise<void>,
): Promise<boolean> {
  return engine.write(async (batch) => {
    if ((await progressOf(batch))?.run !== run) return false
    await work(batch)
    return true
  })
}

async function progressOf(batch: Batch): Promise<Progress | undefined> {
  const [value] = await batch.get('facts', [PROGRESS])
  return value && (JSON.parse(value.toString()) as Progress)
}

function note(batch: Batch, progress: Progress): Promise<void> {
  return batch.put('facts', [{ key: PROGRESS, value: Buffer.from(JSON.stringify(progress)) }])
}

async function mergeSlice(batch: Batch, segment: number, slice: number): Promise<void> {
  const parts = BLOCKS_OF_LEVEL[2] / BLOCKS_OF_LEVEL[1]
  const lists = new Map<string, { start: number; list: Buffer }[]>()
  const width = 256 / SLICES
  const edge = (part: number, at: number) =>
    at < 256 ? Buffer.concat([segmentKey(1, part), Buffer.from([at])]) : segmentKey(1, part + 1)
  for (let offset = 0; offset < parts; offset++) {
    const part = segment * parts + offset
    const entries = await batch.range('postings', {
      from: edge(part, slice * width),
      to: edge(part, (slice + 1) * width),
    })
    for (const { key, value } of entries)
      collect(lists, hashOf(key), { start: offset * BLOCKS_OF_LEVEL[1], list: value })
  }
  const merged: Entry[] = []
  const parted: Entry[] = []
  for (const [hash, found] of sortedByHash(lists)) {
    const key = postingKey(2, segment, hash)
    const bytes = found.reduce((sum, { list }) => sum + list.length, 0)
    if (bytes < LONG_LIST) {
      merged.push({ key, value: mergedList(joinLists(found)) })
      continue
    }
    const offsets = found.map(({ start }) => start / BLOCKS_OF_LEVEL[1])
    merged.push({ key, value: partedList(offsets) })
    for (const [index, offset] of offsets.entries())
      parted.push({
        key: postingKey(PART_LEVEL, segment * parts + offset, hash),
        value: found[index]?.list as Buffer,
      })
  }
  await batch.insert('postings', merged)
  await batch.insert(
    'postings',
    parted.toSorted((a, b) => a.key.compare(b.key)),
  )
}

/** The first segment of the next level whose parts all exist. */
function findMergeable(
  segments: readonly Segment[],
  level: 0 | 1,
): { segment: number } | undefined {
  const wanted = new Set(
    segments
      .filter((segment) => segment.level === level)
      .map((segment) => Math.floor(firstOf(segment) / BLOCKS_OF_LEVEL[(level + 1) as Level])),
  )
  for (const segment of wanted) if (partsOf(segments, level, segment)) return { segment }
  return undefined
}

/** The parts of one segment of the next level; undefined unless all exist. */
function partsOf(
  segments: readonly Segment[],
  level: 0 | 1,
  segment: number,
): Segment[] | undefined {
  const count = BLOCKS_OF_LEVEL[(level + 1) as Level] / BLOCKS_OF_LEVEL[level]
  const parts = segments.filter(
    (part) => part.level === level && Math.floor(part.segment / count) === segment,
  )
  // A segment has the accounts of all its blocks, or of none.
  const known = withAccounts(parts).length
  return parts.length === count && (known === 0 || known === count) ? parts : undefined
}

async function replaceSegments(
  batch: Batch,
  parts: readonly Segment[],
  level: Level,
  segment: number,
): Promise<void> {
  await batch.delete(
    'segments',
    parts.map((part) => segmentKey(part.level, part.segment)),
  )
  const known = withAccounts(parts)
  await batch.put('segments', [
    entryOf({
      level,
      segment,
      parentHash: parts[0]?.parentHash ?? '',
      lastHash: parts.at(-1)?.lastHash ?? '',
      logs: parts.reduce((sum, { logs }) => sum + logs, 0),
      ...(known.length > 0 && {
        transactions: known.reduce((sum, { transactions = 0 }) => sum + transactions, 0),
      }),
    }),
  ])
}

function collect<item>(lists: Map<string, item[]>, hash: string, item: item): void {
  const found = lists.get(hash)
  if (found) found.push(item)
  else lists.set(hash, [item])
}

function sortedByHash<item>(lists: Map<string, item>): [string, item][] {
  return [...lists].toSorted(([a], [b]) => (a < b ? -1 : 1))
}
