import { expect, test } from 'vitest'

import { decodeFields, encodeFields } from './hpack.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

test('default: the requests of RFC 7541, appendix C.2 and C.4, as far as a client without a table reads them', () => {
  // C.2.1, a literal with indexing; C.2.2, without; C.2.3, one that is never indexed.
  expect(decodeFields(hex('400a637573746f6d2d6b65790d637573746f6d2d686561646572'))).toStrictEqual([
    ['custom-key', 'custom-header'],
  ])
  expect(decodeFields(hex('040c2f73616d706c652f70617468'))).toStrictEqual([])
  expect(decodeFields(hex('100870617373776f726406736563726574'))).toStrictEqual([
    ['password', 'secret'],
  ])
  // C.4.3: a name and a value in Huffman code.
  expect(decodeFields(hex('408825a849e95ba97d7f8925a849e95bb8e8b4bf'))).toStrictEqual([
    ['custom-key', 'custom-value'],
  ])
  // C.6.1: a status in Huffman code with an indexed name.
  expect(decodeFields(hex('4882 6402'))).toStrictEqual([[':status', '302']])
  expect(decodeFields(hex('20 88'))).toStrictEqual([[':status', '200']])
})

test('default: encoded fields are read back, whatever their length', () => {
  const fields = [0, 1, 126, 127, 128, 254, 255, 300, 16_000].map(
    (length) => [`x-${length}`, 'v'.repeat(length)] as const,
  )
  expect(decodeFields(encodeFields(fields))).toStrictEqual(fields)
})

test.each([
  ['an entry of the dynamic table', 'be'],
  ['a name of the dynamic table', '7f01 01 61'],
  ['a dynamic table', '3fe11f'],
  ['a text that is cut off', '0003 6162'],
  ['a number that is cut off', '00 7f ff'],
  ['a number that is too large', '00 7f ffffffffff01'],
  ['padding with zeros', '4081 20 8825a849e95ba97d7f'],
  ['padding of more than seven bits', '4082 07ff 8825a849e95ba97d7f'],
])('error: %s', (_, block) => {
  expect(() => decodeFields(hex(block))).toThrow(RangeError)
})
