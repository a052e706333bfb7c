import { toEventSelector } from 'viem'
import { expect, test } from 'vitest'

import { CommandError } from './errors.ts'
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
