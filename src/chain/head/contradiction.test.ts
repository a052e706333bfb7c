import { expect, test } from 'vitest'

import { createContradiction } from './contradiction.ts'

test('default: it is long enough after a number of polls and a time since the first of them', () => {
  let time = 100
  const contradiction = createContradiction({ polls: 3, time: 50 }, () => time)
  expect([contradiction.isSeen(), contradiction.isConfirmed()]).toEqual([false, false])
  contradiction.seen()
  time = 150
  contradiction.seen()
  expect([contradiction.isSeen(), contradiction.isConfirmed()]).toEqual([true, false])
  contradiction.seen()
  expect(contradiction.isConfirmed()).toBe(true)
  time = 149
  expect(contradiction.isConfirmed()).toBe(false)
})

test('behavior: counts from zero after clear', () => {
  const contradiction = createContradiction({ polls: 2, time: 0 }, () => 0)
  contradiction.seen()
  contradiction.clear()
  expect(contradiction.isSeen()).toBe(false)
  contradiction.seen()
  expect(contradiction.isConfirmed()).toBe(false)
})
