import fc from 'fast-check'
import { expect, test } from 'vitest'

import { closingQuote } from './jsonText.ts'

test('default: the end of any string with any escapes', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', '\\', 'a', '\n') }), (value) => {
      const text = JSON.stringify(value)
      expect(closingQuote(`[${text},"b"]`, 1)).toBe(text.length)
    }),
  )
})

test.each(['"', '"a', String.raw`"a\"`])('args: %s does not end', (text) => {
  expect(closingQuote(text, 0)).toBe(-1)
})
