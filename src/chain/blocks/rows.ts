import { type Prepared, preparedOf, preparedOfText } from '../../lib/prepared.ts'

/** A JSON array, or an object that ends with one, serialised once: the whole text and the offset of each element. */
export type Rows<whole, row> = {
  whole: Prepared<whole>
  length: number
  row(index: number): Prepared<row> | undefined
  bytes: number
}

/**
 * Serialises rows into one buffer. With `object` they become its last member, `name`.
 *
 * All text is ASCII (hex, fixed names), so a character is a byte.
 */
export function toRows<whole, row>(
  texts: readonly string[],
  into?: { object: object; name: string },
): Rows<whole, row> {
  const head = into ? `${JSON.stringify(into.object).slice(0, -1)},"${into.name}":[` : '['
  const starts = new Uint32Array(texts.length + 1)
  let position = head.length
  for (const [index, text] of texts.entries()) {
    starts[index] = position
    position += text.length + 1
  }
  starts[texts.length] = position
  const whole = preparedOfText<whole>(`${head}${texts.join(',')}]${into ? '}' : ''}`)
  const buffer = whole.bytes
  return {
    whole,
    length: texts.length,
    row(index) {
      const start = starts[index]
      const next = starts[index + 1]
      return start === undefined || next === undefined
        ? undefined
        : preparedOf(buffer.subarray(start, next - 1))
    },
    bytes: buffer.length + starts.byteLength,
  }
}
