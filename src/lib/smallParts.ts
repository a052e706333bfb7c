import { sleep } from './sleep.ts'

/** Parts after which a body of tiny parts waits for its turn, and the bytes below which a part is tiny on average. */
const PARTS = 2_048
const TINY = 64

/**
 * Milliseconds of a turn. 64 KiB that arrive in chunks of one byte are 11,000 parts, which the HTTP parser hands over at once in 11 ms;
 * an ordinary body of that size takes a hundredth of it.
 */
const TURN = 25

/** Lets one body after the other go on, so that other requests have at least half of the time. */
export function createSmallParts(wait: (milliseconds: number) => Promise<void> = sleep) {
  let last: Promise<void> | undefined
  let waiting = 0

  async function turn(): Promise<void> {
    waiting++
    const before = last
    let finish: () => void = () => {}
    last = new Promise((resolve) => (finish = resolve))
    await before
    await wait(TURN)
    finish()
    if (--waiting === 0) last = undefined
  }

  /**
   * @param parts - parts of the body so far
   * @returns a promise if other work must run first
   */
  return (parts: number, bytes: number): Promise<void> | undefined =>
    parts % PARTS === 0 && bytes < parts * TINY ? turn() : undefined
}

/** The turns of the bodies of this process. */
export const smallParts = createSmallParts()
