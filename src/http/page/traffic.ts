/** Seconds of one sample. */
export const SAMPLE = 10

/** Number of samples: an hour. */
const SAMPLES = 360

/** Upper bounds of the latency buckets in milliseconds. Each is 1.5 times the previous one, up to a minute. */
const BOUNDS = Array.from({ length: 34 }, (_, index) => 0.1 * 1.5 ** index)

/** Calls of one method in one sample. */
type Cell = { calls: number; errors: number; buckets: Uint32Array }

type Sample = { at: number; methods: Map<string, Cell>; gauges: Gauges }

/** Figures by label; undefined while one is not known. */
export type Gauges = Record<string, number | undefined>

/** Figures of the last hour for the state page. Times are in milliseconds. */
export type TrafficReport = ReturnType<ReturnType<typeof createTraffic>['report']>

/** Counts the calls of this process by method, in samples of ten seconds, for the last hour. */
export function createTraffic({ gauges = () => ({}), now = Date.now }: createTraffic.Options = {}) {
  const samples: Sample[] = []

  function current(): Sample {
    const at = Math.floor(now() / 1_000 / SAMPLE)
    const last = samples.at(-1)
    if (last?.at === at) return last
    const sample: Sample = { at, methods: new Map(), gauges: gauges() }
    samples.push(sample)
    while (samples.length > 0 && (samples[0]?.at ?? 0) <= at - SAMPLES) samples.shift()
    return sample
  }

  return {
    /** One call: `code` is 0 or the JSON-RPC error code, `ms` milliseconds. */
    call(method: string, code: number, ms: number) {
      const { methods } = current()
      let cell = methods.get(method)
      if (!cell)
        methods.set(
          method,
          (cell = { calls: 0, errors: 0, buckets: new Uint32Array(BOUNDS.length) }),
        )
      cell.calls++
      if (code !== 0) cell.errors++
      const bucket = bucketOf(ms)
      cell.buckets[bucket] = (cell.buckets[bucket] ?? 0) + 1
    },
    /** Reads the gauges. It is called once for each sample, so that times without calls have points too. */
    sample: () => void current(),
    report() {
      const newest = current()
      const byTime = new Map(samples.map((sample) => [sample.at, sample]))
      const first = samples[0]?.at ?? newest.at
      // The newest sample is incomplete: charts end with the previous one.
      const times = Array.from(
        { length: SAMPLES - 1 },
        (_, index) => newest.at - SAMPLES + 1 + index,
      )
      // The last hour of one figure: a point for each sample, oldest first; undefined before the start of the process.
      const series = (label: string, of: (sample: Sample | undefined) => number | undefined) => {
        const points = times.map((at) => (at < first ? undefined : of(byTime.get(at))))
        const last = points.at(-1)
        return { label, last: last === undefined ? 'unknown' : decimal(last), points }
      }
      return {
        series: [
          series('Requests per second', (sample) => total(sample, 'calls') / SAMPLE),
          series('Errors per second', (sample) => total(sample, 'errors') / SAMPLE),
          series('p50, ms', (sample) => quantile(merge(cellsOf(sample)), 0.5)),
          series('p95, ms', (sample) => quantile(merge(cellsOf(sample)), 0.95)),
          ...Object.keys(newest.gauges).map((label) =>
            series(label, (sample) => sample?.gauges[label]),
          ),
        ],
        methods: methodsOf(samples),
      }
    },
  }
}

export declare namespace createTraffic {
  type Options = {
    /** Figures that are read once for each sample, by label. */
    gauges?: () => Gauges
    /** @default Date.now */
    now?: () => number
  }
}

function methodsOf(samples: readonly Sample[]) {
  const cells = new Map<string, Cell[]>()
  for (const { methods } of samples)
    for (const [method, cell] of methods) cells.set(method, [...(cells.get(method) ?? []), cell])
  return [...cells]
    .map(([method, list]) => {
      const buckets = merge(list)
      return {
        method,
        calls: sum(list, 'calls'),
        errors: sum(list, 'errors'),
        p50: quantile(buckets, 0.5) ?? 0,
        p95: quantile(buckets, 0.95) ?? 0,
      }
    })
    .toSorted((a, b) => b.calls - a.calls)
}

function cellsOf(sample: Sample | undefined): Cell[] {
  return sample ? [...sample.methods.values()] : []
}

function total(sample: Sample | undefined, key: 'calls' | 'errors'): number {
  return sum(cellsOf(sample), key)
}

function sum(cells: readonly Cell[], key: 'calls' | 'errors'): number {
  return cells.reduce((count, cell) => count + cell[key], 0)
}

function merge(cells: readonly Cell[]): Uint32Array {
  const all = new Uint32Array(BOUNDS.length)
  for (const { buckets } of cells)
    buckets.forEach((count, index) => {
      all[index] = (all[index] ?? 0) + count
    })
  return all
}

/** The upper bound of the bucket with the quantile, which is at most 50 % too high; undefined without calls. */
function quantile(buckets: Uint32Array, share: number): number | undefined {
  const calls = buckets.reduce((count, bucket) => count + bucket, 0)
  if (calls === 0) return undefined
  let seen = 0
  const index = buckets.findIndex((count) => (seen += count) >= share * calls)
  return BOUNDS[index] ?? 0
}

function bucketOf(ms: number): number {
  if (!(ms > 0.1)) return 0
  return Math.min(BOUNDS.length - 1, Math.ceil(Math.log(ms / 0.1) / Math.log(1.5)))
}

function decimal(value: number): string {
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1)
}
