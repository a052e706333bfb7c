import { vi } from 'vitest'

/** Maximum milliseconds of a wait. They are many, so that a test fails only if the condition never holds. */
const TIMEOUT = 90_000

/** Waits until `check` no longer throws, and returns its result. `interval`: milliseconds between two tries. */
export function until<result>(
  check: () => result | Promise<result>,
  { interval = 25 }: { interval?: number } = {},
): Promise<result> {
  return vi.waitFor(check, { interval, timeout: TIMEOUT })
}
