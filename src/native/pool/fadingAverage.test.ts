import { expect, test } from 'vitest'

import { createFadingAverage } from './fadingAverage.ts'

function start() {
  let time = 1_000
  const average = createFadingAverage()
  return {
    add: (measured: number) => average.add(measured, time),
    pass: (milliseconds: number) => (time += milliseconds),
    value: () => average.value(time),
  }
}

test('default: follows the measurements, a tenth at a time', () => {
  const { add, value } = start()
  expect(value()).toBe(0)
  add(100)
  expect(value()).toBe(100)
  add(200)
  expect(value()).toBeCloseTo(110)
})

test('behavior: falls while nothing is measured, so that a slow node is tried again', () => {
  const { add, pass, value } = start()
  add(1_000)
  pass(60_000)
  expect(value()).toBeLessThan(1)
  // It is still slow.
  add(1_000)
  expect(value()).toBeGreaterThan(990)
  pass(60_000)
  add(10)
  expect(value()).toBeCloseTo(10, 0)
})
