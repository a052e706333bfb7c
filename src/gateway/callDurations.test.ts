import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'

import { createCallDurations } from './callDurations.ts'

const options = { name: 'duration_seconds', help: 'Duration', buckets: [0.001, 0.01, 1] }

test('default: shows what the histogram of the library shows', async () => {
  const labels = ['operation', 'outcome', 'upstream']
  const registry = new Registry()
  const durations = createCallDurations({ ...options, labels, registry })
  const library = new Registry()
  const histogram = new Histogram({ ...options, labelNames: labels, registers: [library] })
  for (const [seconds, operation, outcome, upstream] of [
    [0.5, '/wallet/getblock', '200', undefined],
    [0.0005, '/wallet/getblock', '200', undefined],
    [1, '/wallet/getblock', '200', 'a'],
    [0.01, '/wallet/getaccount', 'failed', 'a'],
    [1, '/wallet/getblock', '200', undefined],
    [60, '/wallet/getaccount', 'failed', 'b'],
    [2, '/wallet/getblock', '200', 'a'],
  ] as const) {
    const named = upstream === undefined ? [] : [upstream]
    durations.observe(seconds, operation, outcome, ...named)
    histogram.observe({ operation, outcome, ...(named[0] && { upstream }) }, seconds)
  }
  expect(await registry.metrics()).toBe(await library.metrics())
  const [ours, theirs] = [await registry.getMetricsAsJSON(), await library.getMetricsAsJSON()]
  // The library has other members too.
  expect(theirs[0]?.values).toMatchObject(ours[0]?.values ?? [])
  expect(await registry.metrics()).toBe(await library.metrics())
})
