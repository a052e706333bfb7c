import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { counted, createRun, runs, waitedBy } from './run.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }))
afterEach(() => void vi.useRealTimers())

const wait = (ms: number) =>
  counted(() => new Promise<void>((resolve) => void setTimeout(resolve, ms)))

test('default: the time of calls that overlap counts once', async () => {
  const run = createRun(new AbortController().signal)
  await runs.run(run, async () => {
    const both = Promise.all([wait(100), wait(300)])
    await vi.advanceTimersByTimeAsync(200)
    expect(waitedBy(run)).toBe(200)
    await vi.advanceTimersByTimeAsync(100)
    await both
    await vi.advanceTimersByTimeAsync(50)
    const later = wait(20)
    await vi.advanceTimersByTimeAsync(20)
    await later
  })
  expect(run.calls).toBe(3)
  expect(waitedBy(run)).toBe(320)
})
