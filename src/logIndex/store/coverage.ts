import type { BlockRange } from '../../chain/reads/blockRange.ts'
import type { Entry, View } from '../engine/engine.ts'
import type { IndexBlock } from '../format/block.ts'
import { BLOCKS_OF_LEVEL, type Level, segmentKey } from '../format/keys.ts'

/** A complete segment. It is written in the same transaction as its rows. */
export type Segment = {
  level: Level
  /** Counts from block 0 in steps of the level's length. */
  segment: number
  /** Hash of the block before, hex without `0x`. */
  parentHash: string
  /** Hash of the last block. */
  lastHash: string
  logs: number
  /**
   * Transactions whose accounts it has. Absent when it has no accounts: it was written before they were kept, or the index keeps the
   * logs of some contracts only.
   */
  transactions?: number
}

/** Blocks without a gap that link to each other, both ends included. */
export type CoveredRange = BlockRange & Pick<Segment, 'lastHash' | 'logs' | 'parentHash'>

/** The first block of a segment. */
export const firstOf = ({ level, segment }: Pick<Segment, 'level' | 'segment'>) =>
  segment * BLOCKS_OF_LEVEL[level]

/** The last block of a segment. */
export const lastOf = ({ level, segment }: Pick<Segment, 'level' | 'segment'>) =>
  (segment + 1) * BLOCKS_OF_LEVEL[level] - 1

/** Every segment, in the order of blocks. */
export async function readSegments(view: Pick<View, 'range'>): Promise<Segment[]> {
  const entries = await view.range('segments', { from: Buffer.alloc(0), to: Buffer.alloc(8, 255) })
  return entries.map(segmentOf).toSorted((a, b) => firstOf(a) - firstOf(b))
}

/** The row of a segment. */
export function entryOf({ level, segment, ...facts }: Segment): Entry {
  return { key: segmentKey(level, segment), value: Buffer.from(JSON.stringify(facts)) }
}

function segmentOf({ key, value }: Entry): Segment {
  const facts = JSON.parse(value.toString()) as Omit<Segment, 'level' | 'segment'>
  return { level: key.readUInt8(0) as Level, segment: key.readUInt32BE(1), ...facts }
}

/** The ranges that segments cover, in order. Neighbours always link: `append` refuses others. */
export function coverageOf(segments: readonly Segment[]): CoveredRange[] {
  const ranges: CoveredRange[] = []
  for (const segment of segments) {
    const { lastHash, logs, parentHash } = segment
    const last = ranges.at(-1)
    if (last && last.to + 1 === firstOf(segment)) {
      last.to = lastOf(segment)
      last.lastHash = lastHash
      last.logs += logs
    } else ranges.push({ from: firstOf(segment), to: lastOf(segment), parentHash, lastHash, logs })
  }
  return ranges
}

/** The segments that have accounts. */
export const withAccounts = (segments: readonly Segment[]) =>
  segments.filter(({ transactions }) => transactions !== undefined)

/** What to do about blocks that were indexed before accounts were kept; undefined when there are none. For operators. */
export function accountsProblem(
  segments: readonly Segment[],
  keepsAll: boolean,
): string | undefined {
  const without = segments.filter(({ transactions }) => transactions === undefined)
  const [first] = coverageOf(without)
  if (!first || !keepsAll) return undefined
  const { to } = coverageOf(without).at(-1) ?? first
  return `blocks of ${first.from} to ${to} were indexed before accounts were kept: their logs are found, the history of an account is not; to have both, fill a new index with "ethgate index --index NEW --from ${first.from}" and serve it`
}

/** The ranges that an index covers, in order. */
export async function readCoverage(view: Pick<View, 'range'>): Promise<CoveredRange[]> {
  return coverageOf(await readSegments(view))
}

/** Checks that a block is the child of another. @throws BrokenChainError */
export function requireChild(
  { number, parentHash }: Pick<IndexBlock, 'number' | 'parentHash'>,
  parent: Pick<IndexBlock, 'hash' | 'number'>,
): void {
  if (number !== parent.number + 1)
    throw new BrokenChainError(`expected block ${parent.number + 1}, got block ${number}`)
  if (parent.hash !== parentHash)
    throw new BrokenChainError(`block ${number} is not the child of block ${parent.number}`)
}

/** Blocks that do not fit together: the node gave two branches, or the index holds another one. */
export class BrokenChainError extends Error {
  override name = 'BrokenChainError'
}
