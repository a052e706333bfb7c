import type { RpcLog } from '../../codec/types.ts'
import { type Prepared, preparedOf, preparedOfParts } from '../../lib/prepared.ts'

/** Logs in order, each as JSON bytes. */
export type LogChunk = {
  /** Memory of the rows that is not part of a cache, in bytes. */
  readonly bytes: number
  readonly count: number
  /** The block of a row. */
  block(row: number): number
  row(row: number): Prepared<RpcLog>
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
    row: (row) => preparedOf(bytes.subarray(startOf(first + row), ends[first + row])),
    pieces: (count) =>
      count === 0 ? [] : [bytes.subarray(startOf(first), ends[first + count - 1])],
  }
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
    row: () => preparedOf(COMMA.subarray(0, 0)),
  }
}

/** The first `count` rows of some chunks as one JSON array. */
export function arrayOf(chunks: readonly LogChunk[], count: number): Prepared<RpcLog[]> {
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
function arrayOfPieces(pieces: readonly Buffer[]): Prepared<RpcLog[]> {
  const parts: Buffer[] = [OPEN]
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) parts.push(COMMA)
    parts.push(piece)
  }
  parts.push(CLOSE)
  return pieces.length > FEW_PIECES ? preparedOf(Buffer.concat(parts)) : preparedOfParts(parts)
}

/** The block of a row, by the index of the row over all chunks. */
export function blockOfRow(chunks: readonly LogChunk[], row: number): number {
  const { at, chunk } = placeOf(chunks, row)
  return chunk.block(at)
}

/** A row, by its index over all chunks. */
export function rowOf(chunks: readonly LogChunk[], row: number): Prepared<RpcLog> {
  const { at, chunk } = placeOf(chunks, row)
  return chunk.row(at)
}

function placeOf(chunks: readonly LogChunk[], row: number): { at: number; chunk: LogChunk } {
  let at = row
  for (const chunk of chunks) {
    if (at < chunk.count) return { at, chunk }
    at -= chunk.count
  }
  throw new RangeError(`there is no row ${row}`)
}

/** Up to this number, pieces are sent without a copy. One copy costs less than more pieces. */
const FEW_PIECES = 1_000

const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']')
