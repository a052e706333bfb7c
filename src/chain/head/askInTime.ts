import { sleep } from '../../lib/sleep.ts'

/** Attempts after this process stood still. */
const ATTEMPTS = 3

/** Milliseconds of one part of a wait. A process that is busy reads answers late: most of that time does not count. */
const STEP = 50

/**
 * An answer of Redis, or `without` when the command fails or its answer does not come in `limit` milliseconds. Asks again after this
 * process stood still, such as a paused container: the timer of the connection then ends before its answer is read, although
 * Redis has answered.
 */
export async function askInTime<value, none>(
  command: () => Promise<value>,
  limit: number,
  without: none,
  now: () => number,
): Promise<value | none> {
  for (let attempt = 1; ; attempt++) {
    const asked = now()
    const answer = await answerOf<value | none>(command(), limit, without)
    if (answer !== without || attempt === ATTEMPTS || now() - asked < 2 * limit) return answer
  }
}

/** What arrived while this process was busy came in time: it is read before the callback of `setImmediate`. */
async function answerOf<value>(
  answer: Promise<value>,
  limit: number,
  without: value,
): Promise<value> {
  const end = new AbortController()
  async function late(): Promise<value> {
    for (let waited = 0; waited < limit; waited += STEP) {
      await sleep(STEP, end.signal, { ref: false })
      await new Promise(setImmediate)
    }
    return without
  }
  return Promise.race([answer, late()])
    .catch(() => without)
    .finally(() => end.abort())
}
