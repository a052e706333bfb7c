import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { LogMatch } from './chainTypes.ts'
import { createLogMatcher, hashOfItem, type LogKey } from './logMatch.ts'

const topic = (tail: string) => `0x${tail.padStart(64, '0')}`
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const [zero, from, to] = [
  topic('0'),
  topic('98ff8c0e1effbc70b23de702f415ec1e5ed76d42'),
  topic('0783'),
]
const address = '0xd4048be096f969f51fd5642a9c744ec2a7eb89fe'
const other = `0x${'0'.repeat(40)}`
const log: LogKey = { address, topics: [transfer, zero, from] }

const matches = (match: Partial<LogMatch>) =>
  createLogMatcher({ addresses: [], topics: [], ...match }).matches(log)

test('default', () => {
  expect(matches({})).toBe(true)
})

describe('addresses', () => {
  test.each([
    [[address], true],
    [[address.toUpperCase().replace('X', 'x')], true],
    [[other], false],
    [[address, other], true],
  ])('args: %s', (addresses, expected) => {
    expect(matches({ addresses })).toBe(expected)
  })
})

describe('topics', () => {
  test.each<[string, (string[] | null)[], boolean]>([
    ['the first', [[transfer]], true],
    ['another first', [[zero]], false],
    ['one of two', [[transfer, zero]], true],
    ['second of others', [null, [transfer, from, to]], false],
    ['first and third', [[transfer, zero], null, [from, to]], true],
    ['an empty list is open', [[], null, []], true],
    ['an open position needs a topic', [null, null, null, null], false],
  ])('args: %s', (_, topics, expected) => {
    expect(matches({ topics })).toBe(expected)
  })

  test('args: with addresses', () => {
    const addresses = [address, other]
    expect(matches({ addresses, topics: [[transfer], null, [from, to]] })).toBe(true)
    expect(matches({ addresses, topics: [[transfer], null, [to]] })).toBe(false)
    expect(matches({ addresses, topics: [[zero], null, [from, to]] })).toBe(false)
  })
})

test('behavior: a block with a match is never skipped', () => {
  const item = fc.constantFrom(address, transfer, zero)
  const choice = fc.option(fc.array(item, { maxLength: 2 }))
  fc.assert(
    fc.property(
      fc.array(fc.record({ address: item, topics: fc.array(item, { maxLength: 3 }) })),
      fc.record({
        addresses: fc.array(item, { maxLength: 2 }),
        topics: fc.array(choice, { maxLength: 3 }),
      }),
      (logs, match) => {
        const matcher = createLogMatcher(match)
        const texts = logs.flatMap(({ address, topics }) => [address, ...topics])
        const items = new Set(texts.map((text) => hashOfItem(text, 2)))
        const isFound = logs.some((log) => matcher.matches(log))
        const some = { has: (hash: number) => items.has(hash) }
        expect(matcher.mayMatch(some) || !isFound).toBe(true)
      },
    ),
  )
})
