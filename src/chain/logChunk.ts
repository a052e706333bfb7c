import type { RpcLog } from '../codec/types.ts'
import { type Wire, wireOf } from '../lib/wire.ts'

/** Logs in order, each as JSON bytes. */
export type LogChunk = {
  readonly count: number
  /** The block of a row. */
  block(row: number): number
  row(row: number): Wire<RpcLog>
  /** The first rows, commas between. */
  bytes(count: number): Buffer
}

/** Rows that lie one after another in one buffer, with a comma between. */
export type PackedRows = {
  /** Block of each row. */
  blocks: ArrayLike<number>
  /** Where the text of each row ends. */
  ends: ArrayLike<number>
  bytes: Buffer
}

/** Some neighbouring rows of a buffer. */
export function packedChunk(
  { blocks, bytes, ends }: PackedRows,
  first: number,
  count: number,
): LogChunk {
  const startOf = (row: number) => (row === 0 ? 0 : (ends[row - 1] ?? 0) + 1)
  return {
    count,
    block: (row) => blocks[first + row] ?? 0,
    row: (row) => wireOf(bytes.subarray(startOf(first + row), ends[first + row])),
    bytes: (count) =>
      count === 0 ? bytes.subarray(0, 0) : bytes.subarray(startOf(first), ends[first + count - 1]),
  }
}

/** A row that was made by itself, and its block. */
export type LooseRow = { block: number; row: Wire<RpcLog> }

/** Rows that were made one by one. */
export function looseChunk(rows: readonly LooseRow[]): LogChunk {
  return {
    count: rows.length,
    block: (row) => rows[row]?.block ?? 0,
    row: (row) => rows[row]?.row as Wire<RpcLog>,
    bytes: (count) => joinWithCommas(rows.slice(0, count).map(({ row }) => row.bytes)),
  }
}

/** Chunks as one JSON array: so many rows of all. */
export function arrayOf(chunks: readonly LogChunk[], count: number): Wire<RpcLog[]> {
  const parts: Buffer[] = []
  let left = count
  for (const chunk of chunks) {
    const taken = Math.min(left, chunk.count)
    if (taken > 0) parts.push(chunk.bytes(taken))
    left -= taken
  }
  return wireOf(Buffer.concat([OPEN, joinWithCommas(parts), CLOSE]))
}

/** The block of one of the rows of all. */
export function blockOfRow(chunks: readonly LogChunk[], row: number): number {
  let left = row
  for (const chunk of chunks) {
    if (left < chunk.count) return chunk.block(left)
    left -= chunk.count
  }
  throw new RangeError(`there is no row ${row}`)
}

function joinWithCommas(parts: readonly Buffer[]): Buffer {
  const [only] = parts
  if (only && parts.length === 1) return only
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part])))
}

const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']')
