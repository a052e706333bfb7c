/**
 * Header fields of HTTP/2 (HPACK, RFC 7541) without a dynamic table: the client announces a size of 0, so that a block means the same
 * whatever was sent before.
 */

/** Encodes fields as literals, or by their index where the static table has them. @param fields - names in lower case */
export function encodeFields(fields: Iterable<readonly [string, string]>): Buffer {
  const parts: Buffer[] = []
  for (const [name, value] of fields) {
    const whole = INDEX[`${name} ${value}`]
    if (whole !== undefined) {
      parts.push(Buffer.from([INDEXED | whole]))
      continue
    }
    const index = INDEX[name]
    parts.push(index === undefined ? Buffer.from([0]) : integer(index, 4))
    if (index === undefined) parts.push(text(name))
    parts.push(text(value))
  }
  return Buffer.concat(parts)
}

/**
 * Decodes the fields that a gRPC call needs: its status, and fields that the static table does not have.
 *
 * @throws RangeError when the block is not as the RFC and the announced table size allow.
 */
export function decodeFields(block: Uint8Array): [name: string, value: string][] {
  const fields: [string, string][] = []
  const reader: Reader = { block, at: 0 }
  while (reader.at < block.length) {
    const first = block[reader.at] as number
    if (first & INDEXED) {
      const index = readInteger(reader, 7)
      if (index === 0 || index > STATIC_ENTRIES) throw malformed()
      const status = STATUSES[index - FIRST_STATUS]
      if (status !== undefined) fields.push([':status', status])
    } else if ((first & TABLE_SIZE_MASK) === TABLE_SIZE) {
      if (readInteger(reader, 5) !== 0) throw malformed()
    } else {
      // With a table of size 0, a literal to add to the table is like any other.
      const index = readInteger(reader, first & ADDED ? 6 : 4)
      if (index > STATIC_ENTRIES) throw malformed()
      const name = index === 0 ? readText(reader) : nameAt(index)
      if (name === undefined) skipText(reader)
      else fields.push([name, readText(reader)])
    }
  }
  return fields
}

/** Bits that tell the kinds of fields apart. */
const INDEXED = 0x80
const ADDED = 0x40
const TABLE_SIZE = 0x20
const TABLE_SIZE_MASK = 0xe0

/** The used part of the static table. */
const STATIC_ENTRIES = 61
const INDEX: Readonly<Record<string, number>> = {
  ':authority': 1,
  ':method POST': 3,
  ':path': 4,
  ':scheme http': 6,
  ':scheme https': 7,
  'content-type': 31,
}
const FIRST_STATUS = 8
const STATUSES = ['200', '204', '206', '304', '400', '404', '500']

const nameAt = (index: number) =>
  index >= FIRST_STATUS && index < FIRST_STATUS + STATUSES.length ? ':status' : undefined

type Reader = { readonly block: Uint8Array; at: number }

/** @param bits - size of the part in the first byte. */
function integer(value: number, bits: number): Buffer {
  const most = 2 ** bits - 1
  if (value < most) return Buffer.from([value])
  const bytes = [most]
  let rest = value - most
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  return Buffer.concat([integer(bytes.length, 7), bytes])
}

function readInteger(reader: Reader, bits: number): number {
  const most = 2 ** bits - 1
  let value = readByte(reader) & most
  if (value < most) return value
  for (let scale = 1; scale <= LARGEST_SCALE; scale *= 0x80) {
    const byte = readByte(reader)
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value
  }
  throw malformed()
}

/** No length or index needs more than four bytes. */
const LARGEST_SCALE = 0x80 ** 3

function readByte(reader: Reader): number {
  const byte = reader.block[reader.at++]
  if (byte === undefined) throw malformed()
  return byte
}

function readText(reader: Reader): string {
  const isHuffman = ((reader.block[reader.at] ?? 0) & 0x80) !== 0
  const bytes = skipText(reader)
  return isHuffman ? huffmanText(bytes) : Buffer.from(bytes).toString('latin1')
}

function skipText(reader: Reader): Uint8Array {
  const length = readInteger(reader, 7)
  const start = reader.at
  reader.at += length
  if (reader.at > reader.block.length) throw malformed()
  return reader.block.subarray(start, reader.at)
}

/**
 * The characters of each length in bits. The code is canonical: codes of one length follow each other in the order of the characters.
 * Only a byte outside of printable ASCII has a longer one, and so does the backslash; gRPC encodes the former with a percent sign.
 */
const BY_LENGTH: Readonly<Record<number, string>> = {
  5: '012aceiost',
  6: ' %-./3456789=A_bdfghlmnpru',
  7: ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz',
  8: '&*,;XZ',
  10: '!"()?',
  11: "'+|",
  12: '#>',
  13: '\0$@[]~',
  14: '^}',
  15: '<`{',
  19: '\\',
}
const LONGEST = 19

/** A bit that precedes a code makes codes of different lengths differ. */
const CHARACTERS = new Map<number, string>()
for (let length = 5, code = 0; length <= LONGEST; length++, code *= 2)
  for (const character of BY_LENGTH[length] ?? []) CHARACTERS.set(2 ** length + code++, character)

function huffmanText(bytes: Uint8Array): string {
  let found = ''
  let code = 1
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1)
      const character = CHARACTERS.get(code)
      if (character !== undefined) {
        found += character
        code = 1
      } else if (code >= 2 ** (LONGEST + 1)) throw malformed()
    }
  // The last byte is padded with up to seven ones.
  if (code > 0xff || (code & (code + 1)) !== 0) throw malformed()
  return found
}

function malformed(): RangeError {
  return new RangeError('the header fields cannot be read')
}
