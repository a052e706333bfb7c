import type { Histogram, MetricValueWithName, Registry } from 'prom-client'

/** A histogram of durations by method. */
export type CallDurations = {
  /** One call, seconds. */
  observe(method: string, seconds: number): void
}

/**
 * Registers a histogram that counts by itself. Those of the library check and hash the labels of each observation, which takes
 * several times as long as counting it.
 */
export function createCallDurations({
  buckets,
  help,
  name,
  registry,
}: createCallDurations.Options): CallDurations {
  const series = new Map<string, Series>()

  function valuesOf([method, { counts, sum }]: [string, Series]): MetricValueWithName<string>[] {
    let count = 0
    const bounded = [...buckets, '+Inf'].map((le, index) => {
      count += counts[index] ?? 0
      return { labels: { le, method }, metricName: `${name}_bucket`, value: count }
    })
    const labels = { method }
    return [
      ...bounded,
      { labels, metricName: `${name}_sum`, value: sum },
      { labels, metricName: `${name}_count`, value: count },
    ]
  }

  registry.registerMetric({
    name,
    get: async () => ({
      aggregator: 'sum',
      help,
      name,
      type: 'histogram',
      values: [...series].flatMap(valuesOf),
    }),
    // The registry calls nothing else.
  } as unknown as Histogram)

  return {
    observe(method, seconds) {
      let found = series.get(method)
      if (!found)
        series.set(
          method,
          (found = { counts: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 }),
        )
      let bucket = 0
      while (seconds > (buckets[bucket] ?? Infinity)) bucket++
      found.counts[bucket] = (found.counts[bucket] ?? 0) + 1
      found.sum += seconds
    },
  }
}

export declare namespace createCallDurations {
  type Options = {
    /** Upper bounds in seconds, ascending. */
    buckets: readonly number[]
    help: string
    name: string
    registry: Registry
  }
}

/** The calls of one method. `counts`: those of each bucket, then those above all of them. */
type Series = { counts: number[]; sum: number }
