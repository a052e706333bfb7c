import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { inspect } from './inspect.ts'

describe('inspect', () => {
  test('default', () => {
    expect(inspect('{"jsonrpc":"2.0","id":7,"params":[[{"id":8}]]}', MOST)).toEqual({
      depth: 4,
      ids: ['7'],
    })
  })

  test.each([
    ['{"id":1.0}', ['1.0']],
    ['{"id": 9007199254740993 }', ['9007199254740993']],
    ['{"id":-1e+2,"a":1}', ['-1e+2']],
    ['{"id":1,"id":2}', ['2']],
    ['{"id":1,"id":"x"}', [undefined]],
    ['{"\\u0069d":5}', ['5']],
    ['{"a":"\\"","id":3}', ['3']],
    ['{"a":"id","b":"\\\\","id":3}', ['3']],
    ['{"params":{"id":4}}', []],
    [' [ {"id":1} , 2, {"x":[1,2]}, {"id":4.5} ]', ['1', undefined, undefined, '4.5']],
    ['[["id",1],{"id":2}]', [undefined, '2']],
    ['[]', []],
    ['"id"', []],
  ])('behavior: ids of %s', (text, ids) => {
    expect(Array.from(inspect(text, MOST).ids)).toEqual(ids)
  })

  test('behavior: depth is that of the parsed value', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
        : 0
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(inspect(text, MOST).depth).toBe(depthOf(JSON.parse(text)))
      }),
    )
  })
})

describe('a limit', () => {
  test('behavior: one level more than the limit is the depth of anything deeper', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(6), (text, limit) => {
        expect(inspect(text, limit).depth).toBe(Math.min(inspect(text, MOST).depth, limit + 1))
      }),
    )
  })

  test('args: brackets in strings do not count', () => {
    expect(inspect(String.raw`["[[[[\"[[", {"[": "\\"}]`, 2).depth).toBe(2)
  })

  test('args: a text that is not JSON', () => {
    expect(['[[[', '"[[[', ']]]', String.raw`{"\q":1,"id`].map((text) => inspect(text, 2))).toEqual(
      [
        { depth: 3, ids: [] },
        { depth: 0, ids: [] },
        { depth: 0, ids: [] },
        { depth: 1, ids: [] },
      ],
    )
  })

  test('behavior: millions of levels are refused at the first that is too many', () => {
    expect(inspect('['.repeat(4_000_000), 32).depth).toBe(33)
  })
})

/** A limit that no text of these tests reaches. */
const MOST = 1_000
