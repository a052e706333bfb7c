import { toEventSelector } from 'viem'
import { expect, test } from 'vitest'

import { CommandError } from '../base/errors.ts'
import { searchFilter } from './search.ts'

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
const PADDED = '0x000000000000000000000000dd791d6b49e190062d650e6a23c575510d35f2f9'

test('default: nothing given matches everything', () => {
  expect(searchFilter({})).toEqual({})
})

test('args: addresses in any spelling, topics by position', () => {
  expect(
    searchFilter({
      address: ['TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp,41eca9bc828a3005b9a3b909f2cc5c2a54794de05f'],
      topic: [
        'Transfer(address,address,uint256),event Approval(address indexed owner, address indexed spender, uint value)',
        'any',
        'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp',
        '255',
      ],
    }),
  ).toEqual({
    address: [
      '0xdd791d6b49e190062d650e6a23c575510d35f2f9',
      '0xeca9bc828a3005b9a3b909f2cc5c2a54794de05f',
    ],
    topics: [[TRANSFER, APPROVAL], null, PADDED, `0x${'ff'.padStart(64, '0')}`],
  })
})

test('behavior: an event with several tuples is one topic', () => {
  const event = 'Foo((uint256,uint256),(uint256,uint256))'
  const selector = toEventSelector(`event ${event}`)
  expect(searchFilter({ topic: [event] })).toEqual({ topics: [selector] })
  expect(searchFilter({ topic: [`${event}, Transfer(address,address,uint256)`] })).toEqual({
    topics: [[selector, TRANSFER]],
  })
})

test('error: no topic, too many topics', () => {
  expect(() => searchFilter({ topic: ['0x12'] })).toThrow(CommandError)
  expect(() => searchFilter({ topic: [String(2n ** 256n)] })).toThrow(CommandError)
  expect(() => searchFilter({ topic: ['any', 'any', 'any', 'any', 'any'] })).toThrow('4 topics')
})

test('args: an anonymous event takes no position, and has four values', () => {
  const event = 'Foo(address indexed, uint indexed, uint indexed, uint indexed) anonymous'
  const values = ['TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp', 'any', '255', '0']
  expect(searchFilter({ topic: [event, ...values] })).toEqual({
    topics: [PADDED, null, `0x${'ff'.padStart(64, '0')}`, `0x${'0'.repeat(64)}`],
  })
})

test.each([
  [['Transfer(address indexed, address indexed, uint256)', '1', '2', '3'], 'Transfer has 2'],
  [['Foo(uint indexed a, uint indexed b) anonymous', '1', '2', '3'], 'Foo has 2'],
  [['Foo(uint)', '1', '2'], 'Foo has 1'],
  [['any', 'Foo(uint indexed a) anonymous'], 'give it alone, as the first word'],
  [['Foo(uint indexed a) anonymous,Transfer(address,address,uint256)'], 'give it alone'],
  [
    ['Foo(uint indexed, uint indexed, uint indexed, uint indexed)'],
    'has 4 indexed members; an event has at most 3',
  ],
  [
    [`Foo(${Array.from({ length: 5 }, () => 'uint indexed').join()}) anonymous`],
    'an anonymous event has at most 4',
  ],
])('error: topics that no log has: %j', (topic, message) => {
  expect(() => searchFilter({ topic })).toThrow(message)
})
