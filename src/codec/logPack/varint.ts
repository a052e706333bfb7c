// Varints: numbers in as few bytes as they need, seven bits in each, low bits first. Exact up to 2^53.

/** Bytes that grow as they are written. */
export type ByteWriter = { bytes: Buffer; length: number }

/** Creates a writer with an initial size in bytes. */
export function createByteWriter(size = 64): ByteWriter {
  return { bytes: Buffer.allocUnsafe(size), length: 0 }
}

/** Ensures space for more bytes. */
export function reserve(writer: ByteWriter, count: number): void {
  const needed = writer.length + count
  if (needed <= writer.bytes.length) return
  const bytes = Buffer.allocUnsafe(Math.max(needed, writer.bytes.length * 2))
  writer.bytes.copy(bytes, 0, 0, writer.length)
  writer.bytes = bytes
}

/** Appends a byte. */
export function writeByte(writer: ByteWriter, value: number): void {
  reserve(writer, 1)
  writer.bytes[writer.length++] = value
}

/** Appends a number as a varint. @param value - a whole number from 0 to 2^53 − 1 */
export function writeVarint(writer: ByteWriter, value: number): void {
  reserve(writer, 8)
  let rest = value
  while (rest >= 128) {
    writer.bytes[writer.length++] = (rest % 128) + 128
    rest = Math.floor(rest / 128)
  }
  writer.bytes[writer.length++] = rest
}

/** The written bytes. They share memory with the writer. */
export function written(writer: ByteWriter): Buffer {
  return writer.bytes.subarray(0, writer.length)
}

/** A position in bytes that advances with each read. */
export type ByteReader = { bytes: Buffer; at: number }

/** Reads a varint. @throws RangeError at the end of the bytes */
export function readVarint(reader: ByteReader): number {
  const { bytes } = reader
  let value = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[reader.at++]
    if (byte === undefined) throw new RangeError('a number in the log index is cut off')
    if (byte < 128) return value + byte * scale
    value += (byte - 128) * scale
  }
}
