import { setTimeout as sleep } from 'node:timers/promises'

/** A bound of a case, and what was measured. */
export type Check = { what: string; measured: string; bound: string; isGood: boolean }

/** One case of `npm run drills -- limits`. */
export type LimitsCase = {
  /** Its name on the command line. */
  name: string
  /** A description for the table. */
  what: string
  run(): Promise<Check[]>
}

/** A count that must be zero. */
export function none(what: string, count: number, note = ''): Check {
  return {
    what,
    measured: note ? `${count} (${note})` : String(count),
    bound: '0',
    isGood: count === 0,
  }
}

/** A figure with an upper bound. */
export function atMost(what: string, value: number, bound: number, unit = ''): Check {
  const text = (number: number) => `${Number(number.toFixed(2))}${unit && ` ${unit}`}`
  return { what, measured: text(value), bound: `≤ ${text(bound)}`, isGood: value <= bound }
}

/** A figure with a lower bound. */
export function atLeast(what: string, value: number, bound: number, unit = ''): Check {
  const text = (number: number) => `${Number(number.toFixed(2))}${unit && ` ${unit}`}`
  return { what, measured: text(value), bound: `≥ ${text(bound)}`, isGood: value >= bound }
}

/** Whether a condition becomes true within some seconds. */
export async function becomes(
  what: string,
  seconds: number,
  condition: () => Promise<boolean>,
): Promise<Check> {
  const began = performance.now()
  const bound = `≤ ${seconds} s`
  while (performance.now() - began < seconds * 1_000) {
    if (await condition().catch(() => false))
      return {
        what,
        measured: `${((performance.now() - began) / 1_000).toFixed(1)} s`,
        bound,
        isGood: true,
      }
    await sleep(50)
  }
  return { what, measured: 'not', bound, isGood: false }
}
