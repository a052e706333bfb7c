import fc from 'fast-check'
import { expect, test } from 'vitest'

import { get, integer, parse, parseLoose, scalar, stringify } from './json.ts'

test('default: what is read is printed as it was', () => {
  const texts = [
    '{"a":9223372036854775807,"b":-9223372036854775808}',
    '{"a":1.50,"b":1e5,"c":[9007199254740993]}',
    '"9007199254740993"',
    '[1,2,{"x":null,"y":true}]',
  ]
  expect(texts.map((text) => stringify(parse(text)))).toEqual(texts)
})

test('behavior: the faster parser is taken only where it changes nothing', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string(),
        fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), fc.string()),
      ),
      (value) => {
        const text = stringify(value)
        expect(stringify(parse(text))).toBe(text)
      },
    ),
  )
})

test('parseLoose: JSON where it is JSON, else text', () => {
  expect(parseLoose('latest')).toBe('latest')
  expect(parseLoose('0x10')).toBe('0x10')
  expect(parseLoose('true')).toBe(true)
  expect(scalar(parseLoose('18446744073709551615'))).toBe('18446744073709551615')
})

test('integer, get: absent is zero, paths end early', () => {
  const answer = parse('{"a":{"b":9007199254740993}}')
  expect(integer(get(answer, 'a', 'b'))).toBe(9_007_199_254_740_993n)
  expect(integer(get(answer, 'a', 'c', 'd'))).toBe(0n)
})
