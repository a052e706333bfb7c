import { describe, expect, test } from 'vitest'

import { createBreaker } from './breaker.ts'

function create() {
  const clock = { now: 0 }
  return { breaker: createBreaker({ now: () => clock.now, ramp: 1_000, rest: 100 }), clock }
}

const times = (count: number, run: () => void) => {
  for (let index = 0; index < count; index++) run()
}

describe('createBreaker', () => {
  test('default', () => {
    const { breaker } = create()
    expect([breaker.state(), breaker.share(), breaker.reason()]).toEqual(['closed', 1, undefined])
  })

  test('behavior: opens after five failures in a row', () => {
    const { breaker } = create()
    times(4, () => breaker.fail('x'))
    breaker.succeed()
    times(4, () => breaker.fail('x'))
    expect(breaker.state()).toBe('closed')
    breaker.fail('refused')
    expect([breaker.state(), breaker.share(), breaker.reason()]).toEqual(['open', 0, 'refused'])
  })

  test('behavior: opens when more than half of the last calls failed', () => {
    const { breaker } = create()
    times(7, () => (breaker.fail('x'), breaker.fail('x'), breaker.succeed()))
    expect(breaker.state()).toBe('open')
  })

  test('behavior: comes back gradually', () => {
    const { breaker, clock } = create()
    breaker.trip('x')
    breaker.probed(false)
    expect(breaker.state()).toBe('open')
    clock.now = 100
    breaker.probed(false)
    expect([breaker.state(), breaker.share()]).toEqual(['recovering', 0.05])
    clock.now = 600
    expect(breaker.share()).toBeCloseTo(0.29)
    clock.now = 1_100
    expect([breaker.share(), breaker.state(), breaker.reason()]).toEqual([1, 'closed', undefined])
  })

  test('behavior: comes back at once when nothing else is there', () => {
    const { breaker } = create()
    breaker.trip('x')
    breaker.probed(true)
    expect(breaker.state()).toBe('recovering')
  })

  test('behavior: stays open longer each time that it fails again', () => {
    const { breaker, clock } = create()
    breaker.trip('x')
    clock.now = 100
    breaker.probed(false)
    times(2, () => breaker.fail('again'))
    expect(breaker.state()).toBe('open')
    clock.now = 250
    breaker.probed(false)
    expect(breaker.state()).toBe('open')
    clock.now = 300
    breaker.probed(false)
    expect(breaker.state()).toBe('recovering')
  })
})
