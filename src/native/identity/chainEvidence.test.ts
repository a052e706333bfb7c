import { describe, expect, test } from 'vitest'

import { chainEvidence } from './chainEvidence.ts'
import { createServedChain } from './servedChain.ts'

const hash = (number: number, seed = 'a') =>
  number.toString(16).padStart(16, '0') + seed.repeat(48).slice(0, 48)
const HEAD = 70_000
const chain = {
  genesis: hash(0),
  head: HEAD,
  hasReference: () => false,
  hashAt: (number: number) => (number > HEAD - 20 && number <= HEAD ? hash(number) : undefined),
}
const block = (number: number, parent: string, blockID = hash(number)) => ({
  blockID,
  block_header: { raw_data: { ...(number > 0 && { number }), parentHash: parent } },
})
const reference = (number: number, seed?: string) => ({
  ref_block_bytes: (number & 0xff_ff).toString(16).padStart(4, '0'),
  ref_block_hash: hash(number, seed).slice(16, 32),
})
const call = (number: number, seed?: string) => ({
  result: { result: true },
  transaction: { raw_data: reference(number, seed) },
})

describe('chainEvidence', () => {
  test.each([
    ['a call at the newest block', call(HEAD), 'same'],
    ['a call at a block before', call(HEAD - 19), 'same'],
    ['a call at a block that is not known', call(HEAD - 20), 'none'],
    ['a call at a block that comes', call(HEAD + 1), 'none'],
    ['a call on another chain', call(HEAD, 'b'), 'other'],
    ['a built transaction', { txID: 'x', raw_data: reference(HEAD) }, 'same'],
    ['a built transaction of another chain', { raw_data: reference(HEAD, 'b') }, 'other'],
    ['a known block', block(HEAD, hash(HEAD - 1)), 'same'],
    ['another block at its height', block(HEAD, hash(HEAD - 1), hash(HEAD, 'b')), 'other'],
    ['the next block', block(HEAD + 1, hash(HEAD)), 'same'],
    ['the next block of another chain', block(HEAD + 1, hash(HEAD, 'b')), 'other'],
    ['an old block', block(7, hash(6)), 'none'],
    ['block 0', block(0, ''), 'same'],
    ['block 0 of another chain', block(0, '', hash(0, 'b')), 'other'],
    ['block 1', block(1, hash(0)), 'same'],
    ['an account', { address: '41', balance: 1 }, 'none'],
    ['a refusal', { Error: 'no' }, 'none'],
    ['nothing', {}, 'none'],
    ['a list', [{ id: hash(1) }], 'none'],
    ['no JSON', undefined, 'none'],
    ['members of other types', { blockID: 5, raw_data: { ref_block_bytes: 1 } }, 'none'],
  ] as const)('args: %s', (_, answer, expected) => {
    expect(chainEvidence('{}', answer, chain)).toBe(expected)
  })

  test('args: what was asked for by its hash', () => {
    const value = 'ab'.repeat(32)
    const body = JSON.stringify({ value })
    expect(chainEvidence(body, { id: value, blockNumber: 7 }, chain)).toBe('same')
    expect(chainEvidence(body, { txID: value, raw_data: reference(7) }, chain)).toBe('same')
    expect(chainEvidence(body, { id: 'cd'.repeat(32) }, chain)).toBe('none')
  })

  test('args: a chain of which nothing is known', () => {
    const unknown = createServedChain()
    expect(chainEvidence('{}', call(5), unknown)).toBe('none')
    expect(chainEvidence('{}', block(5, hash(4)), unknown)).toBe('none')
    expect(chainEvidence('{}', block(0, ''), unknown)).toBe('none')
  })
})
