import { expect, test } from 'vitest'

import { intrinsicGas } from './intrinsicGas.ts'

const to = `0x${'11'.repeat(20)}`

test.each([
  ['a transfer', { data: '0x', to }, 21_000n],
  // 1 zero byte and 3 others: 13 tokens at the floor of 10.
  ['a call', { data: '0x00010203', to }, 21_130n],
  // 33 bytes are two words; 33 × 4 tokens × 4 + 32,000 + 4 is above the floor.
  ['a creation', { data: `0x${'60'.repeat(33)}` }, 53_532n],
  // 1,400 bytes: the floor of 40 a byte is above 16 a byte, 32,000 and 2 a word.
  ['a long creation', { data: `0x${'60'.repeat(1_400)}` }, 77_000n],
] as const)('default: %s', (_, transaction, expected) => {
  expect(intrinsicGas(transaction)).toBe(expected)
})
