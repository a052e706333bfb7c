import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { fieldsOf, nextField } from './fields.ts'

const number = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(2 ** 29 - 1))
const field = fc.oneof(
  fc.record({ number, content: fc.uint8Array({ maxLength: 200 }) }),
  fc.record({ number, value: fc.maxSafeNat() }),
  fc.record({ number, fixed: fc.constantFrom(32, 64) }),
)

/** A message, and where each of its fields ends. */
function write(fields: readonly (typeof field extends fc.Arbitrary<infer item> ? item : never)[]) {
  const parts = fields.map((field) => {
    const writer = new BinaryWriter()
    if ('content' in field) writer.tag(field.number, WireType.LengthDelimited).bytes(field.content)
    else if ('value' in field) writer.tag(field.number, WireType.Varint).int64(field.value)
    else if (field.fixed === 32) writer.tag(field.number, WireType.Bit32).fixed32(7)
    else writer.tag(field.number, WireType.Bit64).fixed64(7)
    return writer.finish()
  })
  let end = 0
  return { bytes: Buffer.concat(parts), ends: parts.map(({ length }) => (end += length)) }
}

function read(bytes: Uint8Array) {
  const field = fieldsOf(bytes, 0, bytes.length)
  const found: object[] = []
  while (nextField(field)) {
    const { end, number, start, value } = field
    if (start !== -1) found.push({ number, content: bytes.slice(start, end) })
    else if (Number.isNaN(value)) found.push({ number })
    else found.push({ number, value })
  }
  return found
}

test('default: the fields of any message, in order', () => {
  fc.assert(
    fc.property(fc.array(field), (fields) => {
      const { bytes } = write(fields)
      expect(read(new Uint8Array(bytes))).toEqual(
        fields.map(({ number, ...rest }) => ('fixed' in rest ? { number } : { number, ...rest })),
      )
    }),
  )
})

test('error: a message that ends within a field', () => {
  fc.assert(
    fc.property(fc.array(field, { minLength: 1 }), fc.nat(), (fields, place) => {
      const { bytes, ends } = write(fields)
      const length = place % bytes.length
      if (length === 0 || ends.includes(length)) return
      expect(() => read(bytes.subarray(0, length))).toThrow(TypeError)
    }),
  )
})

test.for([
  { name: 'the field number 0', bytes: [0x00, 0x01] },
  { name: 'a group', bytes: [0x0b, 0x0c] },
  { name: 'a field number of more than 29 bits', bytes: [0x88, 0x80, 0x80, 0x80, 0x10, 0x01] },
  { name: 'a varint of eleven bytes', bytes: [0x08, ...Array<number>(10).fill(0xff), 0x01] },
])('error: $name', ({ bytes }) => {
  expect(() => read(Uint8Array.from(bytes))).toThrow(TypeError)
})
