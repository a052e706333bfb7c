import { sleep } from '../../lib/sleep.ts'

/** Milliseconds between two checks. */
const CHECK_EVERY = 50

/** Resolves when no call is in flight, or after so many milliseconds. */
export async function drained(
  { isIdle }: { isIdle: () => boolean },
  milliseconds: number,
): Promise<void> {
  const until = performance.now() + milliseconds
  while (!isIdle() && performance.now() < until) await sleep(CHECK_EVERY, undefined, { ref: false })
}
