/**
 * The items of an RLP list, still encoded.
 *
 * @throws TypeError when the bytes are not one whole list.
 */
export function splitRlpList(bytes: Uint8Array): Uint8Array[] {
  const list = readHead(bytes, 0)
  if (!list.isList || list.end !== bytes.length) throw malformed()
  const items: Uint8Array[] = []
  for (let at = list.start; at < list.end;) {
    const item = readHead(bytes, at)
    if (item.end > list.end) throw malformed()
    items.push(bytes.subarray(at, item.end))
    at = item.end
  }
  return items
}

/** An RLP list of encoded items. */
export function joinRlpList(items: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(items)
  if (body.length < SHORT) return Buffer.concat([Uint8Array.of(LIST + body.length), body])
  const hex = body.length.toString(16)
  const length = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')
  return Buffer.concat([Uint8Array.of(LIST + SHORT - 1 + length.length), length, body])
}

/** The empty list. */
export const EMPTY_RLP_LIST = Uint8Array.of(0xc0)

const STRING = 0x80
const LIST = 0xc0
/** The least length that is encoded in separate bytes. */
const SHORT = 56

/** The offsets of the start and end of an item's content. */
function readHead(bytes: Uint8Array, at: number) {
  const first = bytes[at]
  if (first === undefined) throw malformed()
  if (first < STRING) return { isList: false, start: at, end: at + 1 }
  const isList = first >= LIST
  const size = first - (isList ? LIST : STRING)
  if (size < SHORT) return whole(bytes, isList, at + 1, size)
  const width = size - SHORT + 1
  let length = 0
  for (const byte of bytes.subarray(at + 1, at + 1 + width)) length = length * 256 + byte
  return whole(bytes, isList, at + 1 + width, length)
}

function whole(bytes: Uint8Array, isList: boolean, start: number, length: number) {
  const end = start + length
  if (end > bytes.length) throw malformed()
  return { isList, start, end }
}

const malformed = () => new TypeError('not an RLP list')
