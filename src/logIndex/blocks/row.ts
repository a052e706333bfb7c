import { hash } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from 'node:zlib'

import { readOutline } from '../../native/grpc/messages.ts'
import { contentsOf, itemsOf } from '../../native/protobuf/fields.ts'
import type { BlockOutline } from '../../native/wire/blockOutline.ts'
import type { Hex } from '../../native/wire/types.ts'

/** A final block and the outcomes of its transactions, serialised as the node's gRPC interface gives them. */
export type StoredBlock = { block: Buffer; outcomes: Buffer }

/** Blocks of one row, by height, as `shorten` makes them. */
export type Row = Map<number, StoredBlock>

/**
 * Heights that share a row: blocks of one stretch have the same accounts and contracts, so together they take two thirds of the space. A
 * block with more bytes than this has a row of its own, because a read decompresses a whole row.
 */
const GROUP = 16
const LARGE = 32 * 1024

/** The version of the rows. */
export const FORMAT = 1

/** The key of a row: a height, and whether the row is of this block alone. */
export function rowKey(number: number, isAlone: boolean): Buffer {
  const key = Buffer.alloc(9)
  key.writeBigUInt64BE(BigInt(isAlone ? number : number - (number % GROUP)))
  key[8] = isAlone ? 1 : 0
  return key
}

/** The keys of the rows that may have a block. */
export const keysOf = (number: number): Buffer[] => [rowKey(number, true), rowKey(number, false)]

/** The key of the row that a block belongs to. */
export const keyFor = (number: number, { block, outcomes }: StoredBlock): Buffer =>
  rowKey(number, block.length + outcomes.length > LARGE)

/** The key of the height of a transaction: with a part of the id, because the block says whether it is the one. */
export const idKey = (id: Hex): Buffer => Buffer.from(id.slice(0, 12), 'hex')

/** Before the compressed blocks: the hour in which a row was last used, a checksum, and the length that is decompressed at once. */
const HEADER = 12
/** For each block its height after that of the key, and two lengths. */
const ENTRY = 9

/** A row as it is stored. */
export function packRow(key: Buffer, row: Row, hour: number): Buffer {
  const first = Number(key.readBigUInt64BE())
  const head = Buffer.alloc(1 + row.size * ENTRY)
  const parts: Buffer[] = [head]
  let at = head.writeUInt8(row.size)
  for (const number of [...row.keys()].toSorted((a, b) => a - b)) {
    const { block, outcomes } = row.get(number) as StoredBlock
    const before = row.get(number - 1)?.block
    at = head.writeUInt8(number - first, at)
    at = head.writeUInt32BE(block.length, at)
    at = head.writeUInt32BE(outcomes.length, at)
    parts.push(blankParent(block, before && idOf(number - 1, before)), outcomes)
  }
  const bytes = Buffer.concat(parts)
  const body = brotliCompressSync(bytes, { params: COMPRESSION })
  const header = Buffer.alloc(HEADER)
  header.writeUInt32BE(hour)
  header.writeUInt32BE(crc32(body), 4)
  header.writeUInt32BE(bytes.length, 8)
  return Buffer.concat([header, body])
}

/** More than this takes four times as long and saves a hundredth. */
const COMPRESSION = { [constants.BROTLI_PARAM_QUALITY]: 5 }

/** The hour in which a row was last used. */
export const hourOf = (value: Buffer): number => value.readUInt32BE()

/** Bytes that are decompressed at once: at least as many as the library asks for, and not what a damaged length says. */
const LEAST_CHUNK = 64
const LARGEST_CHUNK = 4 * 1024 * 1024

/** The blocks of a stored row. @throws Error when it is damaged */
export function unpackRow(key: Buffer, value: Buffer): Row {
  const body = value.subarray(HEADER)
  if (value.length < HEADER || crc32(body) !== value.readUInt32BE(4))
    throw new Error('its checksum is wrong')
  const chunkSize = Math.min(value.readUInt32BE(8), LARGEST_CHUNK) + LEAST_CHUNK
  const bytes = brotliDecompressSync(body, { chunkSize })
  const first = Number(key.readBigUInt64BE())
  const row: Row = new Map()
  let from = 1 + bytes.readUInt8() * ENTRY
  const take = (length: number) => bytes.subarray(from, (from += length))
  for (let at = 1, end = from; at < end; at += ENTRY) {
    const number = first + bytes.readUInt8(at)
    const block = take(bytes.readUInt32BE(at + 1))
    const before = row.get(number - 1)?.block
    fillParent(block, before && idOf(number - 1, before))
    row.set(number, { block, outcomes: take(bytes.readUInt32BE(at + 5)) })
  }
  return row
}

/**
 * Blanks the ids of the outcomes: they are the hashes of the transactions, and hashes cannot be compressed.
 *
 * @param ids - of the transactions of the block
 * @throws TypeError when an outcome has another id, or none at its beginning
 */
export function shorten({ block, outcomes }: StoredBlock, ids: readonly Hex[]): StoredBlock {
  const short = Buffer.from(outcomes)
  for (const [index, item] of itemsOf(short).entries()) {
    if (item.toString('hex', 0, ID_END) !== `0a20${ids[index]}`)
      throw new TypeError('the outcomes are of other transactions')
    item.fill(0, ID_END - HASH, ID_END)
  }
  return { block, outcomes: short }
}

/** A block of a row with the ids that `shorten` has blanked. It is a copy: whoever keeps it does not keep the whole row. */
export function restore({ block, outcomes }: StoredBlock): StoredBlock {
  const whole = Buffer.from(outcomes)
  const { txIDs } = readOutline(block) as BlockOutline
  for (const [index, item] of itemsOf(whole).entries())
    item.write(txIDs[index] ?? '', ID_END - HASH, 'hex')
  return { block: Buffer.from(block), outcomes: whole }
}

/** The end of the field `id` at the beginning of an outcome: its tag, its length and a hash. */
const ID_END = 34
const HASH = 32

/** Fields of a block, of its header and of the content of the header. */
const [BLOCK_HEADER, HEADER_CONTENT, PARENT_HASH] = [2, 1, 3]

/** Blanks the hash of the parent, which is the id of the block before it in the row. @param parent - that id; undefined without it */
function blankParent(block: Buffer, parent: Buffer | undefined): Buffer {
  const content = contentOf(contentOf(block, BLOCK_HEADER), HEADER_CONTENT)
  const found = contentOf(content, PARENT_HASH)
  if (!parent?.equals(found)) return block
  const at = found.byteOffset - block.byteOffset
  return Buffer.from(block).fill(0, at, at + HASH)
}

/** Fills in the hash that `blankParent` has blanked. */
function fillParent(block: Buffer, parent: Buffer | undefined): void {
  const found = contentOf(contentOf(contentOf(block, BLOCK_HEADER), HEADER_CONTENT), PARENT_HASH)
  if (parent && found.every((byte) => byte === 0)) parent.copy(found)
}

/** The id of a block: its height, and the hash of the content of its header. */
function idOf(number: number, block: Buffer): Buffer {
  const content = contentOf(contentOf(block, BLOCK_HEADER), HEADER_CONTENT)
  const id = hash('sha256', content, 'buffer')
  id.writeBigUInt64BE(BigInt(number))
  return id
}

/** The content of the last field with a number. */
function contentOf(message: Buffer, number: number): Buffer {
  const [last] = contentsOf(message, number).slice(-1)
  return message.subarray(last?.start ?? 0, last?.end ?? 0)
}

/** A list of messages. */
export function listOf(items: readonly Buffer[]): Buffer {
  return Buffer.concat(items.flatMap((item) => [lengthOf(item), item]))
}

/** The tag of field 1 and the length of its content. */
function lengthOf({ length }: Buffer): Buffer {
  const bytes = [0x0a]
  let rest = length
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}
