import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'

import { createCallDurations } from './callDurations.ts'

const options = { name: 'duration_seconds', help: 'Duration', buckets: [0.001, 0.01, 1] }

test('default: shows what the histogram of the library shows', async () => {
  const registry = new Registry()
  const durations = createCallDurations({ ...options, registry })
  const library = new Registry()
  const histogram = new Histogram({ ...options, labelNames: ['method'], registers: [library] })
  for (const [method, seconds] of [
    ['eth_call', 0.5],
    ['eth_call', 0.0005],
    ['eth_call', 1],
    ['eth_chainId', 0.01],
    ['eth_chainId', 60],
  ] as const) {
    durations.observe(method, seconds)
    histogram.observe({ method }, seconds)
  }
  expect(await registry.metrics()).toBe(await library.metrics())
  const [ours, theirs] = [await registry.getMetricsAsJSON(), await library.getMetricsAsJSON()]
  // The library has other members too.
  expect(theirs[0]?.values).toMatchObject(ours[0]?.values ?? [])
  expect(await registry.metrics()).toBe(await library.metrics())
})
