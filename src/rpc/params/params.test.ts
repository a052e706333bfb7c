import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  address,
  arrayOf,
  blockNumberOrTag,
  blockRef,
  boolean,
  bytes,
  hash,
  index,
  maybe,
  optional,
  quantity,
  show,
  storageSlot,
} from './params.ts'
import { filterId } from './subscriptionParam.ts'

const H = `0x${'ab'.repeat(32)}`

describe('address', () => {
  test.each([
    '0x42194febc0f076d4151747569ae87374b41f4a09',
    '0x42194FEBC0F076D4151747569AE87374B41F4A09',
    '0x4142194febc0f076d4151747569ae87374b41f4a09',
    '4142194febc0f076d4151747569ae87374b41f4a09',
  ])('args: %s', (input) => {
    expect(address(input)).toBe('0x42194febc0f076d4151747569ae87374b41f4a09')
  })

  test('args: base58', () => {
    expect(address('TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp')).toBe(
      '0xdd791d6b49e190062d650e6a23c575510d35f2f9',
    )
  })

  test.each([
    undefined,
    null,
    5,
    '',
    '0x',
    '0x42194febc0f076d4151747569ae87374b41f4a',
    '0x4242194febc0f076d4151747569ae87374b41f4a09',
    '0x42194febc0f076d4151747569ae87374b41f4azz',
    'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHq',
    ['0x42194febc0f076d4151747569ae87374b41f4a09'],
  ])('error: %j', (input) => {
    expect(() => address(input)).toThrow('expected a 20-byte hex or a base58 address')
  })
})

describe('hash', () => {
  test('default', () => {
    expect(hash(H)).toBe(H)
    expect(hash(H.toUpperCase().replace('X', 'x'))).toBe(H)
    expect(hash(H.slice(2))).toBe(H)
  })

  test.each([undefined, null, '0x111111', `${H}00`, 7, {}])('error: %j', (input) => {
    expect(() => hash(input)).toThrow('expected a 32-byte hex hash')
  })
})

describe('storageSlot', () => {
  test('args: as geth reads it', () => {
    expect(storageSlot('0x')).toBe(0n)
    expect(storageSlot('0')).toBe(0n)
    expect(storageSlot('10')).toBe(16n)
    expect(storageSlot('0x010')).toBe(16n)
    expect(storageSlot('f'.repeat(64))).toBe(2n ** 256n - 1n)
    expect(storageSlot(16)).toBe(16n)
  })

  test.each(['', 'x', '0xg', `0x${'0'.repeat(65)}1`, -1, null])('error: %s', (input) => {
    expect(() => storageSlot(input)).toThrow('expected a hex quantity')
  })
})

describe('quantity', () => {
  test('default', () => {
    expect(quantity('0x10')).toBe(16n)
    expect(quantity('0x0010')).toBe(16n)
    expect(quantity(16)).toBe(16n)
    expect(quantity(`0x${'f'.repeat(64)}`)).toBe(2n ** 256n - 1n)
  })

  test('behavior: every number below 2^256 comes back', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 256n - 1n), (value) => {
        expect(quantity(`0x${value.toString(16)}`)).toBe(value)
      }),
    )
  })

  test.each([
    '0x',
    '10',
    '',
    '0xg',
    '-0x1',
    '0x-1',
    -1,
    1.5,
    2 ** 53,
    null,
    `0x1${'0'.repeat(64)}`,
  ])('error: %j', (input) => {
    expect(() => quantity(input)).toThrow('expected a hex quantity')
  })
})

test('bytes', () => {
  expect(bytes('0x')).toBe('0x')
  expect(bytes('0xABcd')).toBe('0xabcd')
  expect(bytes('abcd')).toBe('0xabcd')
  expect(() => bytes('0xabc')).toThrow('expected hex bytes such as 0x1234, got "0xabc"')
  expect(() => bytes(12)).toThrow('expected hex bytes')
})

test('index', () => {
  expect(index('0x00')).toBe(0)
  expect(index(3)).toBe(3)
  expect(() => index('0xffffffffffffffff')).toThrow('expected an index')
  expect(() => index('0x-1')).toThrow('expected an index')
})

test('boolean', () => {
  expect(boolean(false)).toBe(false)
  expect(() => boolean('true')).toThrow('expected a boolean, got "true"')
})

describe('blockRef', () => {
  test.each([
    ['latest', 'latest'],
    ['safe', 'safe'],
    ['0x0', 0],
    ['0x0a', 10],
    ['10', 10],
    [10, 10],
    ['0x1fffffffffffff', Number.MAX_SAFE_INTEGER],
    ['0x7fffffffffffffff', Number.MAX_SAFE_INTEGER],
    [H, { blockHash: H }],
    [{ blockHash: H }, { blockHash: H }],
    [{ blockHash: H, requireCanonical: true }, { blockHash: H }],
    [{ blockNumber: '0x5' }, 5],
    [{ blockNumber: '0x5', blockHash: null }, 5],
    [{ blockNumber: 'finalized' }, 'finalized'],
  ])('args: %j', (input, expected) => {
    expect(blockRef(input)).toEqual(expected)
  })

  test.each([
    [undefined, 'got nothing'],
    [null, 'got null'],
    ['', 'got ""'],
    ['0x', 'got "0x"'],
    ['newest', 'expected a block number, a block hash or one of latest, earliest'],
    [-1, 'got -1'],
    [1.5, 'got 1.5'],
    [[], 'got []'],
    ['0x8000000000000000', 'is too large'],
    ['0x10000000000000000000000', 'is too large'],
    ['18446744073709551616', 'is too large'],
    [{}, 'expected blockHash or blockNumber, got neither'],
    [{ blockNumber: '0x1', blockHash: H }, 'got both'],
    [{ blockNumber: null, blockHash: null }, 'got neither'],
    [{ blockNumber: 'xxx' }, 'blockNumber: expected a block number'],
    [{ blockHash: '0x1' }, 'blockHash: expected a 32-byte hex hash'],
    [{ blockHash: H, requireCanonical: 'yes' }, 'requireCanonical: expected a boolean'],
  ])('error: %j', (input, message) => {
    expect(() => blockRef(input)).toThrow(message)
  })

  test('error: a hash where only numbers are taken', () => {
    expect(() => blockNumberOrTag(H)).toThrow('got the block hash')
    expect(() => blockNumberOrTag({ blockHash: H })).toThrow('expected a block number')
  })
})

test('optional', () => {
  expect(optional(boolean, false)(undefined)).toBe(false)
  expect(optional(boolean, false)(null)).toBe(false)
  expect(maybe(boolean)(undefined)).toBeUndefined()
  expect(maybe(boolean)(true)).toBe(true)
  expect(() => optional(boolean, false)(1)).toThrow('expected a boolean, got 1')
})

test('arrayOf', () => {
  expect(arrayOf(index)(['0x1', 2])).toEqual([1, 2])
  expect(() => arrayOf(index)(['0x1', 'x'])).toThrow('element 1: expected an index')
  expect(() => arrayOf(index)('0x1')).toThrow('expected an array, got "0x1"')
})

test('behavior: no decoder throws anything but an Error with words', () => {
  const failure = (decode: (input: unknown) => unknown, input: unknown) => {
    try {
      decode(input)
      return 'expected'
    } catch (error) {
      return (error as Error).message
    }
  }
  const decoders = [
    address,
    arrayOf(hash),
    blockRef,
    boolean,
    bytes,
    hash,
    index,
    quantity,
    storageSlot,
  ]
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...decoders), (input, decode) => {
      expect(failure(decode, input)).toMatch(/expected|too large/)
    }),
  )
})

describe('show', () => {
  test.each([
    [undefined, 'nothing'],
    ['a"b', '"a\\"b"'],
    [JSON.parse('9007199254740993'), 'about 9007199254740992'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [{ a: [1, null, { b: true }], c: 'd' }, '{"a":[1,null,{"b":true}],"c":"d"}'],
    ['x'.repeat(100), `"${'x'.repeat(76)}…`],
    [
      Array.from({ length: 100 }, (_, n) => n).concat([]),
      `[${'0,1,2,3,4,5,6,7,8,9,'.slice(0, 20)}`,
    ],
  ])('default: %j', (input, expected) => {
    expect(show(input).startsWith(expected)).toBe(true)
    expect(show(input).length).toBeLessThanOrEqual(78)
  })

  test('behavior: reads no more of an input than it quotes', () => {
    let read = 0
    const endless = new Proxy([], {
      get: (_, name) => (name === 'length' ? 1e9 : (read++, 'x')),
    })
    expect(show(endless)).toMatch(/^\["x","x"/)
    expect(read).toBeLessThan(100)
  })
})

test('behavior: an address is not decoded where it is too long to be one', () => {
  // Base58 takes quadratic time: a second at 20,000 characters, many minutes at the largest request.
  expect(() => address(`T${'2'.repeat(4_000_000)}`)).toThrow('expected a 20-byte hex or a base58')
})

test('behavior: stores get no long text as the id of a filter', () => {
  const id = `0x${'ab'.repeat(16)}`
  expect(filterId(id)).toBe(id)
  expect(filterId(`${id}00`)).not.toBe(id)
  expect(filterId('x'.repeat(1_000_000)).length).toBeLessThan(100)
})
