import { array, assert, constantFrom, integer, property, record } from 'fast-check'
import { expect, test } from 'vitest'

import { createHeldBytes, HELD_PLACES } from './heldBytes.ts'

test('default', () => {
  const held = createHeldBytes({ limit: 100, share: 60 })
  const body = held.hold('a', 'bodies')
  expect(body.take(50)).toBe(true)
  expect(body.take(20)).toBe(false)
  expect([held.total(), held.total('bodies'), held.total('frames')]).toEqual([50, 50, 0])
  body.end()
  body.end()
  expect(held.total()).toBe(0)
})

test('error: another caller has no room when the process has none', () => {
  const held = createHeldBytes({ limit: 100, share: 60 })
  expect(held.hold('a', 'filters').take(60)).toBe(true)
  expect(held.hasRoom('b', 40)).toBe(true)
  expect(held.hold('b', 'filters').take(41)).toBe(false)
  expect(held.hold('b', 'frames').take(40)).toBe(true)
})

test('behavior: what is there already counts above the limit', () => {
  const held = createHeldBytes({ limit: 100, share: 60 })
  const answer = held.hold('a', 'answers')
  answer.set(200)
  expect([held.total(), held.hasRoom('b', 1)]).toEqual([200, false])
  answer.set(10)
  expect(held.hasRoom('b', 60)).toBe(true)
})

test('behavior: the sums are those of the open holds, whatever happens to them', () => {
  const step = record({
    at: integer({ min: 0, max: 5 }),
    bytes: integer({ min: 0, max: 60 }),
    what: constantFrom('take', 'set', 'end'),
  })
  assert(
    property(array(step), (steps) => {
      const held = createHeldBytes({ limit: 100, share: 60 })
      const holds = HELD_PLACES.slice(0, 6).map((place, at) => ({
        hold: held.hold(`caller ${at % 2}`, place),
        bytes: 0,
        place,
      }))
      for (const { at, bytes, what } of steps) {
        const own = holds[at] as (typeof holds)[number]
        if (what === 'take') own.bytes += own.hold.take(bytes) ? bytes : 0
        else if (what === 'set') own.hold.set((own.bytes = bytes))
        else {
          own.hold.end()
          own.bytes = 0
        }
        for (const { bytes: expected, place } of holds) expect(held.total(place)).toBe(expected)
        expect(held.total()).toBe(holds.reduce((sum, { bytes: each }) => sum + each, 0))
      }
    }),
  )
})
