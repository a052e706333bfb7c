import type { RpcLog } from '../../codec/types.ts'
import { type Wire, wireOf, wireOfParts } from '../../lib/wire.ts'
import type { Rows } from './rows.ts'

/** Logs in order, each as JSON bytes. */
export type LogChunk = {
  /** Memory of the rows that is not part of a cache, in bytes. */
  readonly bytes: number
  readonly count: number
  /** The block of a row. */
  block(row: number): number
  row(row: number): Wire<RpcLog>
  /** The first `count` rows as text. Each piece is one or more rows with commas between. */
  pieces(count: number): readonly Buffer[]
}

/** Consecutive rows in one buffer, with a comma between. */
export type PackedRows = {
  /** Block of each row. */
  blocks: ArrayLike<number>
  /** Offset of the end of each row. */
  ends: ArrayLike<number>
  bytes: Buffer
}

/** A chunk of consecutive rows of a buffer. */
export function packedChunk(
  { blocks, bytes, ends }: PackedRows,
  first: number,
  count: number,
): LogChunk {
  const startOf = (row: number) => (row === 0 ? 0 : (ends[row - 1] ?? 0) + 1)
  return {
    bytes: count === 0 ? 0 : (ends[first + count - 1] ?? 0) - startOf(first),
    count,
    block: (row) => blocks[first + row] ?? 0,
    row: (row) => wireOf(bytes.subarray(startOf(first + row), ends[first + row])),
    pieces: (count) =>
      count === 0 ? [] : [bytes.subarray(startOf(first), ends[first + count - 1])],
  }
}

/** A chunk of some rows of one block, by their ascending indexes. */
export function blockChunk(
  block: number,
  rows: Rows<RpcLog[], RpcLog>,
  indexes: readonly number[],
): LogChunk {
  return {
    bytes: 0,
    count: indexes.length,
    block: () => block,
    row: (row) => rows.row(indexes[row] ?? -1) as Wire<RpcLog>,
    pieces(count) {
      const pieces: Buffer[] = []
      for (let first = 0; first < count;) {
        let next = first + 1
        while (next < count && indexes[next] === (indexes[next - 1] ?? 0) + 1) next++
        pieces.push(rows.span(indexes[first] ?? 0, indexes[next - 1] ?? 0))
        first = next
      }
      return pieces
    },
  }
}

/** A chunk of rows of one block, from their ASCII text. */
export function textChunk(block: number, texts: readonly string[]): LogChunk {
  let end = -1
  const ends = texts.map((text) => (end += text.length + 1))
  const bytes = Buffer.from(texts.join(','), 'latin1')
  return packedChunk({ blocks: texts.map(() => block), bytes, ends }, 0, texts.length)
}

/** A chunk without rows. */
export function emptyChunk(block: number): LogChunk {
  return countedChunk(block, 0)
}

/** A chunk that only counts rows of one block. Their texts are empty. */
export function countedChunk(block: number, count: number): LogChunk {
  return {
    bytes: 0,
    count,
    block: () => block,
    pieces: () => [],
    row: () => wireOf(COMMA.subarray(0, 0)),
  }
}

/** The first `count` rows of some chunks as one JSON array. */
export function arrayOf(chunks: readonly LogChunk[], count: number): Wire<RpcLog[]> {
  const pieces: Buffer[] = []
  let left = count
  for (const chunk of chunks) {
    const taken = Math.min(left, chunk.count)
    pieces.push(...chunk.pieces(taken))
    left -= taken
  }
  return arrayOfPieces(pieces)
}

/** A JSON array of pieces. Each piece is one or more elements with commas between. */
function arrayOfPieces(pieces: readonly Buffer[]): Wire<RpcLog[]> {
  const parts: Buffer[] = [OPEN]
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) parts.push(COMMA)
    parts.push(piece)
  }
  parts.push(CLOSE)
  return pieces.length > FEW_PIECES ? wireOf(Buffer.concat(parts)) : wireOfParts(parts)
}

/** The block of a row, by the index of the row over all chunks. */
export function blockOfRow(chunks: readonly LogChunk[], row: number): number {
  let left = row
  for (const chunk of chunks) {
    if (left < chunk.count) return chunk.block(left)
    left -= chunk.count
  }
  throw new RangeError(`there is no row ${row}`)
}

/** Up to this number, pieces are sent without a copy. One copy costs less than more pieces. */
const FEW_PIECES = 1_000

const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']')
