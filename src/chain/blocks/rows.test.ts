import fc from 'fast-check'
import { expect, test } from 'vitest'

import { fromPrepared } from '../../lib/prepared.ts'
import { toRows } from './rows.ts'

const texts = (rows: unknown[]) => rows.map((row) => JSON.stringify(row))

test('default', () => {
  const rows = toRows<{ a: number }[], { a: number }>(texts([{ a: 1 }, { a: 2 }]))
  expect(rows.whole.bytes.toString()).toBe('[{"a":1},{"a":2}]')
  expect(rows.row(1)?.bytes.toString()).toBe('{"a":2}')
  expect([rows.row(2), rows.row(-1)]).toEqual([undefined, undefined])
})

test('args: into an object', () => {
  const rows = toRows(texts(['0x1']), { name: 'rows', object: { n: 1 } })
  expect(rows.whole.bytes.toString()).toBe('{"n":1,"rows":["0x1"]}')
  expect(rows.row(0)?.bytes.toString()).toBe('"0x1"')
})

test('behavior: returns each row of any rows', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.integer())), (input) => {
      const rows = toRows<number[][], number[]>(texts(input))
      const found = input.flatMap((_, index) => rows.row(index) ?? [])
      expect(fromPrepared(rows.whole)).toEqual(input)
      expect(found.map((row) => fromPrepared(row))).toEqual(input)
    }),
  )
})
