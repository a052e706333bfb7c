/**
 * Reads the fields of a protobuf message one at a time: the content of the current field, and where the next one begins. The reader
 * of `@bufbuild/protobuf` takes 1.3 times as long for the logs of a block, and its lengths and types have to be checked by the caller.
 */
export type Fields = {
  readonly bytes: Uint8Array
  /** Where the message ends. */
  readonly to: number
  /** Where the next field begins. */
  next: number
  number: number
  /** Start of the content of a delimited field, and its end; both -1 for any other field. */
  start: number
  end: number
  /** The value of a varint, which is not exact beyond 2^53; NaN for any other field. */
  value: number
}

const VARINT = 0
const FIXED_64 = 1
const DELIMITED = 2
const FIXED_32 = 5

/** The fields of the message between two places. `nextField` moves to the first one. */
export function fieldsOf(bytes: Uint8Array, from: number, to: number): Fields {
  return { bytes, to, next: from, number: 0, start: -1, end: -1, value: Number.NaN }
}

/**
 * Moves to the next field; false after the last one.
 *
 * @throws TypeError when the bytes are not a message.
 */
export function nextField(fields: Fields): boolean {
  if (fields.next >= fields.to) return false
  const tag = varint(fields)
  // A field number has 29 bits.
  if (tag < 8 || tag > 0xffff_ffff) throw malformed()
  fields.number = tag >>> 3
  fields.start = fields.end = -1
  fields.value = Number.NaN
  const type = tag & 7
  if (type === DELIMITED) {
    const length = varint(fields)
    fields.start = fields.next
    fields.end = fields.next += length
  } else if (type === VARINT) fields.value = varint(fields)
  else if (type === FIXED_64) fields.next += 8
  else if (type === FIXED_32) fields.next += 4
  else throw malformed()
  if (fields.next > fields.to) throw malformed()
  return true
}

/** Where the contents of all fields with a number are. @throws TypeError when one of them is not delimited */
export function contentsOf(
  bytes: Uint8Array,
  number: number,
  from = 0,
  to = bytes.length,
): { start: number; end: number }[] {
  const contents: { start: number; end: number }[] = []
  const field = fieldsOf(bytes, from, to)
  while (nextField(field)) {
    if (field.number !== number) continue
    if (field.start === -1) throw malformed()
    contents.push({ start: field.start, end: field.end })
  }
  return contents
}

/** The messages of a list, or the transactions of a block: both have the field number 1. @throws TypeError */
export function itemsOf(list: Buffer): Buffer[] {
  return contentsOf(list, 1).map(({ end, start }) => list.subarray(start, end))
}

function varint(fields: Fields): number {
  const { bytes, to } = fields
  let value = 0
  for (let scale = 1; scale <= LARGEST_SCALE && fields.next < to; scale *= 128) {
    const byte = bytes[fields.next++] as number
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value
  }
  throw malformed()
}

/** The exact int64 of the current field, a varint: a bigint where a number is not exact. */
export function int64At({ bytes, next }: Fields): number | bigint {
  // Only the last byte of a varint, and of the tag before it, has no continuation bit.
  let first = next - 1
  while ((bytes[first - 1] ?? 0) >= 0x80) first--
  let value = 0n
  for (let at = next - 1; at >= first; at--) value = (value << 7n) | BigInt((bytes[at] ?? 0) & 0x7f)
  const signed = BigInt.asIntN(64, value)
  const number = Number(signed)
  return Number.isSafeInteger(number) ? number : signed
}

/** Scale of the tenth byte, the last that a varint may have. */
const LARGEST_SCALE = 128 ** 9

/** The bytes are not what the schema says. */
export function malformed(): TypeError {
  return new TypeError('not the protobuf message that was expected')
}
