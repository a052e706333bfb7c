import { expect, onTestFinished, test, vi } from 'vitest'

import { createLoopWatch } from './loopWatch.ts'

/** A watch with a clock that only work moves. */
function setup() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const clock = { now: 0 }
  const blocked: unknown[] = []
  const delays: number[] = []
  const watch = createLoopWatch({
    now: () => clock.now,
    onBlocked: (block) => blocked.push(block),
    onDelay: (ms) => delays.push(ms),
  })
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      clock.now += 10
      vi.advanceTimersByTime(10)
    }
  }
  return { blocked, clock, delays, pass, watch }
}

test('default', () => {
  const { blocked, clock, watch } = setup()
  watch.enter('eth_getBalance')
  clock.now += 1_000
  watch.leave('eth_getBalance')
  watch.enter('eth_blockNumber')
  watch.leave('eth_blockNumber')
  expect(blocked).toEqual([{ method: 'eth_getBalance', ms: 1_000 }])
})

test('behavior: the end of a call that waited first', () => {
  const { blocked, clock, pass, watch } = setup()
  watch.enter('eth_getLogs')
  pass(3_000)
  clock.now += 500
  watch.leave('eth_getLogs')
  expect(blocked).toEqual([{ method: 'eth_getLogs', ms: 500 }])
})

test('behavior: the start of a call that then waits', () => {
  const { blocked, clock, pass, watch } = setup()
  watch.enter('eth_call')
  clock.now += 400
  pass(1_000)
  watch.leave('eth_call')
  expect(blocked).toEqual([{ method: 'eth_call', ms: expect.any(Number) }])
})

test('behavior: waiting does not count, and work outside of calls has no name', () => {
  const { blocked, clock, pass, watch } = setup()
  watch.enter('eth_call')
  pass(5_000)
  watch.leave('eth_call')
  expect(blocked).toEqual([])
  pass(100)
  clock.now += 300
  pass(100)
  expect(blocked).toEqual([{ method: undefined, ms: expect.any(Number) }])
})

test('behavior: reports the delay of the event loop', () => {
  const { clock, delays, pass } = setup()
  pass(100)
  expect(delays).toEqual([0, 0])
  clock.now += 90
  pass(50)
  expect(delays).toEqual([0, 0, 90])
})
