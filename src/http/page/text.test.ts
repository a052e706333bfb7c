import { expect, test } from 'vitest'

import { cleanText } from './text.ts'

test('default: control and direction characters go', () => {
  expect(cleanText(' a\u0000b\u202ec\n ')).toBe('abc')
})

test('args: a length, at which no half of a character stays', () => {
  expect(cleanText('abcdef', 4)).toBe('abcd')
  expect(cleanText('abc😀', 4)).toBe('abc')
  expect(cleanText('abc😀', 5)).toBe('abc😀')
})
