import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createReadAhead } from './readAhead.ts'

function setup({ isSpare = true, newest = 1_000 } = {}) {
  const reads: number[] = []
  const note = createReadAhead({
    isSpare: () => isSpare,
    newest: () => newest,
    read: async (number) => {
      reads.push(number)
      throw new Error('the node is away')
    },
  })
  return { note: (number: number, bytes?: number) => note(number, undefined, bytes), reads }
}

test('default: from the third height in order on, the next ones are read, more and more', () => {
  const { note, reads } = setup()
  note(10)
  note(11)
  expect(reads).toEqual([])
  note(12)
  expect(reads).toEqual([13, 14, 15])
  note(13)
  expect(reads).toEqual([13, 14, 15, 16, 17])
  for (let number = 14; number < 100; number++) note(number)
  expect(reads).toEqual(Array.from({ length: reads.length }, (_, at) => 13 + at))
  expect(Math.max(...reads)).toBeLessThanOrEqual(99 + 16)
})

test('behavior: two callers in one stretch, and several stretches', () => {
  const { note, reads } = setup()
  for (let number = 1; number < 20; number++)
    for (const start of [100, 300, 500]) note(start + number)
  expect(new Set(reads).size).toBe(reads.length)
  expect(reads).toEqual(expect.arrayContaining([119, 319, 519]))
})

test('behavior: large blocks, a busy node and the solidified block bound it', () => {
  const large = setup()
  for (let number = 1; number < 20; number++) large.note(number, 4 * 1024 * 1024)
  expect(Math.max(...large.reads)).toBeLessThanOrEqual(21)
  const busy = setup({ isSpare: false })
  const end = setup({ newest: 25 })
  for (let number = 1; number < 20; number++) {
    busy.note(number)
    end.note(number)
  }
  expect(busy.reads).toEqual([])
  expect(Math.max(...end.reads)).toBe(25)
})

test('behavior: nothing is read twice in a stretch, and no height beyond the window, for any requests', () => {
  const runs = fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 40 })), { maxLength: 8 })
  fc.assert(
    fc.property(runs, (runs) => {
      const { note, reads } = setup()
      for (const [start, length] of runs)
        for (let number = start; number < start + length; number++) {
          const before = reads.length
          note(number)
          const ahead = reads.slice(before)
          expect(ahead.every((read) => read > number && read <= number + 16)).toBe(true)
          expect(new Set(ahead).size).toBe(ahead.length)
        }
    }),
  )
})
