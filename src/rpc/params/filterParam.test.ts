import { expect, test } from 'vitest'

import { logFilter } from './filterParam.ts'

const A = '0x42194febc0f076d4151747569ae87374b41f4a09'
const H = `0x${'ab'.repeat(32)}`

test('default', () => {
  expect(logFilter({})).toEqual({ addresses: [], topics: [] })
})

test('args: range, one address, topics with null and alternatives', () => {
  expect(
    logFilter({
      address: A,
      fromBlock: '0x1',
      toBlock: 'finalized',
      topics: [H, null, [H, H], []],
    }),
  ).toEqual({
    addresses: [A],
    fromBlock: 1,
    toBlock: 'finalized',
    topics: [[H], null, [H, H], []],
  })
})

test('args: a list of topics with null matches any topic', () => {
  expect(logFilter({ topics: [[null], [H, null], H] }).topics).toEqual([null, null, [H]])
})

test('args: null means absent', () => {
  expect(
    logFilter({ address: null, blockHash: null, fromBlock: null, toBlock: null, topics: null }),
  ).toEqual({ addresses: [], topics: [] })
})

test('args: many addresses in any form', () => {
  expect(
    logFilter({
      address: ['4142194febc0f076d4151747569ae87374b41f4a09', 'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp'],
    }),
  ).toEqual({ addresses: [A, '0xdd791d6b49e190062d650e6a23c575510d35f2f9'], topics: [] })
})

test('args: blockHash', () => {
  expect(logFilter({ blockHash: H })).toEqual({ addresses: [], blockHash: H, topics: [] })
})

test.each([
  [null, 'expected a filter object, got null'],
  [[{}], 'expected a filter object, got [{}]'],
  [{ address: '0x0' }, 'address: expected a 20-byte hex'],
  [{ address: [1] }, 'address: element 0: expected a 20-byte hex or a base58 address, got 1'],
  [{ topics: H }, 'topics: expected an array'],
  [{ topics: ['0x0'] }, 'topics: element 0: expected a 32-byte hex hash, got "0x0"'],
  [{ topics: [null, [H, '0x0']] }, 'topics: element 1: element 1: expected a 32-byte hex hash'],
  [{ topics: [H, H, H, H, H] }, 'topics size should be <= 4'],
  [{ topics: [Array(1_001).fill(H)] }, 'exceed max topics: 1000'],
  [{ address: Array(1_001).fill(A) }, 'exceed max addresses: 1000'],
  [{ blockHash: H, fromBlock: '0x1' }, 'cannot specify both BlockHash and FromBlock/ToBlock'],
  [{ fromBlock: 'first' }, 'fromBlock: expected a block number'],
  [
    { toBlock: '0x10000000000000000000000' },
    'toBlock: block number "0x10000000000000000000000" is too large',
  ],
])('error: %#', (input, message) => {
  expect(() => logFilter(input)).toThrow(message)
})
