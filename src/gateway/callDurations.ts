import type { Histogram, MetricValueWithName, Registry } from 'prom-client'

/**
 * Registers a histogram that counts by itself. Those of the library check and hash the labels of each observation, which takes
 * several times as long as counting it.
 */
export function createCallDurations({
  buckets,
  help,
  labels,
  name,
  registry,
}: createCallDurations.Options) {
  const all: Series[] = []
  const root: Level = { next: new Map(), series: undefined }

  function seriesOf(values: readonly string[]): Series {
    let level = root
    for (const value of values) {
      let next = level.next.get(value)
      if (!next) level.next.set(value, (next = { next: new Map(), series: undefined }))
      level = next
    }
    level.series ??= createSeries(values)
    return level.series
  }

  function createSeries(values: readonly string[]): Series {
    const series = {
      counts: Array.from({ length: buckets.length + 1 }, () => 0),
      labels: Object.fromEntries(values.map((value, index) => [labels[index], value])),
      sum: 0,
    }
    all.push(series)
    return series
  }

  function valuesOf({ counts, labels, sum }: Series): MetricValueWithName<string>[] {
    let count = 0
    const bounded = [...buckets, '+Inf'].map((le, index) => {
      count += counts[index] ?? 0
      return { labels: { le, ...labels }, metricName: `${name}_bucket`, value: count }
    })
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
      values: all.flatMap(valuesOf),
    }),
    // The registry calls nothing else.
  } as unknown as Histogram)

  return {
    /**
     * One call.
     *
     * @param values - of the labels, in their order. A series without the last ones has no such labels.
     */
    observe(seconds: number, ...values: readonly string[]) {
      const series = seriesOf(values)
      let bucket = 0
      while (seconds > (buckets[bucket] ?? Infinity)) bucket++
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
      series.sum += seconds
    },
  }
}

export declare namespace createCallDurations {
  type Options = {
    /** Upper bounds in seconds, ascending. */
    buckets: readonly number[]
    help: string
    labels: readonly string[]
    name: string
    registry: Registry
  }
}

/** The calls with the same labels. `counts`: those of each bucket, then those above all of them. */
type Series = { counts: number[]; readonly labels: Record<string, string>; sum: number }

/** The series with the same first labels. They are found label by label, because joining the labels to one key takes longer. */
type Level = { readonly next: Map<string, Level>; series: Series | undefined }
