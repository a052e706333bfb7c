/**
 * Reads a protobuf message field by field. A decoder that makes an object of every field takes several times as long, and bulk reads
 * use few fields.
 */
export type FieldVisitor = (
  number: number,
  /** Start of the content of a delimited field, and its end; both -1 for any other field. */
  start: number,
  end: number,
  /** The value of a varint. It is not exact beyond 2^53. */
  value: number,
) => void

const VARINT = 0
const FIXED_64 = 1
const DELIMITED = 2
const FIXED_32 = 5

/**
 * Calls `visit` for each field between two places.
 *
 * @throws TypeError when the bytes are not a message.
 */
export function eachField(bytes: Uint8Array, from: number, to: number, visit: FieldVisitor): void {
  let at = from
  const varint = (): number => {
    let byte = bytes[at++] ?? 0
    if (byte < 0x80 && at <= to) return byte
    let value = byte & 0x7f
    for (let scale = 128; scale <= LARGEST_SCALE; scale *= 128) {
      if (at >= to) break
      byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw malformed()
  }
  while (at < to) {
    const tag = varint()
    const number = Math.floor(tag / 8)
    const type = tag % 8
    if (number === 0) throw malformed()
    if (type === DELIMITED) {
      const length = varint()
      const start = at
      at += length
      if (at > to) throw malformed()
      visit(number, start, at, 0)
    } else if (type === VARINT) {
      visit(number, -1, -1, varint())
    } else {
      if (type !== FIXED_64 && type !== FIXED_32) throw malformed()
      at += type === FIXED_64 ? 8 : 4
      if (at > to) throw malformed()
      visit(number, -1, -1, Number.NaN)
    }
  }
}

/** Scale of the tenth byte, the last that a varint may have. */
const LARGEST_SCALE = 128 ** 9

/** The bytes are not what the schema says. */
export function malformed(): TypeError {
  return new TypeError('not the protobuf message that was expected')
}
