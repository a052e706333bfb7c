import { vi } from 'vitest'

/** Milliseconds that a condition is waited for. It is long, so that only what never comes fails a test. */
const PATIENCE = 40_000

/** Waits until `check` no longer throws, and returns its result. `interval`: milliseconds between two tries. */
export function until<result>(
  check: () => result | Promise<result>,
  { interval = 25 }: { interval?: number } = {},
): Promise<result> {
  return vi.waitFor(check, { interval, timeout: PATIENCE })
}
