import { fromPrepared, isPrepared } from '../../lib/prepared.ts'
import { COMPARABLE_METHODS, compareResults, type Difference } from './compare.ts'

/** Two answers that differ, with the places of the differences. `at`: milliseconds since the epoch. */
type Mismatch = {
  at: number
  method: string
  params: readonly unknown[]
  differences: Difference[]
}

/** The comparisons since the start. */
export type VerifyReport = ReturnType<Verifier['report']>

/** The outcome of a comparison. `unavailable`: the second source did not answer. */
export type VerifyOutcome = 'match' | 'mismatch' | 'unavailable'

/** Compares a sample of answers with those of a second source. It never delays an answer. */
export type Verifier = ReturnType<typeof createVerifier>

/** Maximum number of concurrent comparisons. Further answers are not compared. */
const MAX_RUNNING = 4

const KEPT = 100

/** Milliseconds before each repeated read. The head may move between two answers, so a difference is checked again. */
const RETRIES = [1_000, 3_000]

/** Creates a verifier of a share of the answers. */
export function createVerifier({
  now = Date.now,
  onOutcome = () => {},
  ours,
  random = Math.random,
  rate,
  sleep,
  theirs,
}: createVerifier.Options) {
  const running = new Map<string, Promise<void>>()
  const counts = new Map<string, Record<VerifyOutcome, number>>()
  const mismatches: Mismatch[] = []

  function count(method: string, outcome: VerifyOutcome): void {
    const row = counts.get(method) ?? { match: 0, mismatch: 0, unavailable: 0 }
    row[outcome]++
    counts.set(method, row)
    onOutcome(method, outcome)
  }

  async function compare(
    method: string,
    params: readonly unknown[],
    first: unknown,
  ): Promise<void> {
    let result = first
    for (let attempt = 0; ; attempt++) {
      const differences = compareResults(result, await theirs(method, params))
      if (differences.length === 0) return count(method, 'match')
      const delay = RETRIES[attempt]
      if (delay === undefined) {
        mismatches.unshift({ at: now(), method, params, differences })
        mismatches.length = Math.min(mismatches.length, KEPT)
        return count(method, 'mismatch')
      }
      await sleep(delay)
      result = await ours(method, params)
    }
  }

  return {
    /** Offers an answer for a later comparison. */
    observe(method: string, params: readonly unknown[], result: unknown): void {
      if (random() >= rate) return
      if (!COMPARABLE_METHODS.has(method) || running.size >= MAX_RUNNING) return
      // A repeated read is an answer too, and must not be compared again.
      const key = `${method} ${JSON.stringify(params)}`
      if (running.has(key)) return
      const work = compare(
        method,
        params,
        isPrepared(result) ? fromPrepared(result) : result,
      ).catch(() => count(method, 'unavailable'))
      running.set(key, work)
      void work.finally(() => running.delete(key))
    },
    /** The comparisons by method, and the mismatches, newest first. */
    report: () => ({
      methods: [...counts]
        .map(([method, { match, mismatch, unavailable }]) => ({
          method,
          matches: match,
          mismatches: mismatch,
          unavailable,
        }))
        .toSorted((a, b) => (a.method < b.method ? -1 : 1)),
      mismatches: [...mismatches],
    }),
    /** Resolves when all accepted answers are compared. */
    async idle(): Promise<void> {
      await Promise.all(running.values())
    },
  }
}

export declare namespace createVerifier {
  type Options = {
    /** Share of answers that are compared, 0 to 1. */
    rate: number
    /** Calls this gateway again. @throws when the answer is an error */
    ours: (method: string, params: readonly unknown[]) => Promise<unknown>
    /** Calls the second source. @throws when the answer is an error or the source is unreachable */
    theirs: (method: string, params: readonly unknown[]) => Promise<unknown>
    onOutcome?: (method: string, outcome: VerifyOutcome) => void
    /** @param ms - milliseconds */
    sleep: (ms: number) => Promise<void>
    /** Milliseconds since the epoch. @default Date.now */
    now?: () => number
    /** @default Math.random */
    random?: () => number
  }
}
