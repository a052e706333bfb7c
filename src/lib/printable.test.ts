import { expect, test } from 'vitest'

import { printable, printableLines } from './printable.ts'

test('default: control characters are escaped, other text is unchanged', () => {
  expect(printable('\u001B]0;title\u0007 \u009B2J\u007F\r\n')).toBe(
    String.raw`\u001b]0;title\u0007 \u009b2J\u007f\u000d\u000a`,
  )
  expect(printable('a\u202Eb\u2028c')).toBe(String.raw`a\u202eb\u2028c`)
  expect(printable('grüezi 👩‍👩‍👧 é\t!')).toBe('grüezi 👩‍👩‍👧 é\t!')
})

test('behavior: lines keep their breaks and colours, and nothing else', () => {
  expect(printableLines('\u001B[31mred\u001B[39m\nnext\u001B[2J')).toBe(
    '\u001B[31mred\u001B[39m\nnext\\u001b[2J',
  )
})

test('behavior: an escaped JSON text has the same value', () => {
  const value = { text: '\u009B31m\u202E\u007F' }
  expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value)
})
