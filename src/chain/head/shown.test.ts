import { expect, test } from 'vitest'

import { createShown } from './shown.ts'

test('default: it is long enough after a number of polls and a time since the first of them', () => {
  let time = 100
  const shown = createShown({ polls: 3, time: 50 }, () => time)
  expect([shown.isShown(), shown.isLongEnough()]).toEqual([false, false])
  shown.seen()
  time = 150
  shown.seen()
  expect([shown.isShown(), shown.isLongEnough()]).toEqual([true, false])
  shown.seen()
  expect(shown.isLongEnough()).toBe(true)
  time = 149
  expect(shown.isLongEnough()).toBe(false)
})

test('behavior: counts from zero after clear', () => {
  const shown = createShown({ polls: 2, time: 0 }, () => 0)
  shown.seen()
  shown.clear()
  expect(shown.isShown()).toBe(false)
  shown.seen()
  expect(shown.isLongEnough()).toBe(false)
})
