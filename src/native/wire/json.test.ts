import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { parseInexact, parseNative, stringifyNative } from './json.ts'

const MAX_INT64 = 2n ** 63n - 1n

/** JSON text of the node's kind: objects, arrays, hex and text strings, int64 as bare digits. */
const value = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.bigInt({ min: -(2n ** 63n), max: MAX_INT64 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.string(),
    fc.stringMatching(/^[0-9]{16,64}$/),
    fc.stringMatching(/^[0-9]{0,3}[:,[ -][0-9]{15,20}$/),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), tie('node'), { maxKeys: 4 }),
  ),
})).node

/** The value as the client gives it back: small bigints become numbers. */
function expected(input: unknown): unknown {
  if (typeof input === 'bigint') return Number.isSafeInteger(Number(input)) ? Number(input) : input
  if (Object.is(input, -0)) return 0
  if (Array.isArray(input)) return input.map(expected)
  if (typeof input !== 'object' || input === null) return input
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, expected(value)]))
}

describe('parseNative', () => {
  test('default', () => {
    expect(parseNative('{"balance": 9007199254740993,"fee": 5}\n')).toEqual({
      balance: 9007199254740993n,
      fee: 5,
    })
  })

  test('behavior: a number is exact at both ends of int64', () => {
    expect(parseNative('[-9223372036854775808,9223372036854775807]')).toEqual([
      -(2n ** 63n),
      MAX_INT64,
    ])
    expect(parseNative('[9007199254740991,-9007199254740991,9007199254740992]')).toEqual([
      9007199254740991,
      -9007199254740991,
      9007199254740992n,
    ])
  })

  test('behavior: fractions and exponents are ordinary numbers', () => {
    expect(
      parseNative('{"useRate":0.23691145467322558,"big":1.0E19,"n":1234567890123456}'),
    ).toEqual({
      useRate: 0.23691145467322558,
      big: 1e19,
      n: 1234567890123456,
    })
  })

  test('behavior: digits in strings stay strings', () => {
    const text = '{"block":"Num:223,ID:0000000000000000123","data":"9007199254740993"}'
    expect(parseNative(text)).toEqual(JSON.parse(text))
  })

  test('behavior: reads back what was written, whatever it is', () => {
    fc.assert(
      fc.property(value, (input) => {
        expect(parseNative(stringifyNative(input))).toEqual(expected(input))
      }),
      { numRuns: 500 },
    )
  })

  test('behavior: spaces between the parts of the text make no difference', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: MAX_INT64 }), (amount) => {
        for (const text of [`{"a": ${amount}}`, `{"a":[${amount} , ${amount}]}`, `\t${amount}\n`])
          expect(stringifyNative(parseNative(text))).toBe(text.replaceAll(/\s/g, ''))
      }),
    )
  })

  test.each([
    ['an integer of 100,000 digits', `{"a":${'9'.repeat(100_000)}}`],
    ['a negative one', `[1,-${'9'.repeat(79)}]`],
    ['an exponent that is too great', '{"a": 1e400}'],
    ['one with a fraction', '[-1.5E+999]'],
  ])('error: %s', (_, text) => {
    for (const parse of [parseNative, parseInexact]) expect(() => parse(text)).toThrow(SyntaxError)
  })

  test('error: text that is not JSON', () => {
    for (const text of ['', 'this API is closed', '<html>', '{"a":12345678901234567', '{'])
      expect(() => parseNative(text)).toThrow(SyntaxError)
  })
})

describe('stringifyNative', () => {
  test('default', () => {
    expect(stringifyNative({ amount: 2n ** 62n, memo: undefined, list: [1n, 'x'] })).toBe(
      '{"amount":4611686018427387904,"list":[1,"x"]}',
    )
  })
})
