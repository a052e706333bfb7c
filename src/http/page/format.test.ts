import { expect, test } from 'vitest'

import { relative, short, duration } from './format.ts'

test.each([
  [-90, 'in 1 min'],
  [-1, 'in 1 s'],
  [-0.5, '0 s ago'],
  [0, '0 s ago'],
  [59, '59 s ago'],
  [3_600, '1 h ago'],
])('default: %s seconds ago is shown as "%s"; a time to come says so', (seconds, text) => {
  expect(relative(seconds)).toBe(text)
})

test('args: short keeps both ends of a hash and leaves a short text whole', () => {
  expect(short(`0x${'ab'.repeat(32)}`)).toBe('0xabab…abab')
  expect(short('0x12345678')).toBe('0x12345678')
})

test.each([
  [0.84, '0.84 ms'],
  [120.4, '120 ms'],
  [2_500, '2.5 s'],
])('args: duration: %s milliseconds', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
