/**
 * Faults of the native interface, to test its clients. Rates are from 0 to 1. All faults are off by default.
 */
export type Faults = {
  /** Delay of every answer, and the largest random addition, milliseconds. */
  latency: number
  jitter: number
  /** Share of the calls that answer HTTP 503. */
  errorRate: number
  /** Share of the calls whose connection closes without an answer. */
  dropRate: number
  /** Share of the calls whose body is not JSON. */
  wrongBodyRate: number
  /** Share of the calls with a rate-limit answer. */
  rateLimitRate: number
  /** Blocks that block queries lag behind the head. */
  staleHead: number
  /** Operations with faults, in lower case; empty for all. */
  operations: string[]
}

/** The default: no faults. */
export const noFaults: Faults = {
  latency: 0,
  jitter: 0,
  errorRate: 0,
  dropRate: 0,
  wrongBodyRate: 0,
  rateLimitRate: 0,
  staleHead: 0,
  operations: [],
}

const RATES = ['errorRate', 'dropRate', 'wrongBodyRate', 'rateLimitRate'] as const
const AMOUNTS = ['latency', 'jitter', 'staleHead'] as const

/**
 * Reads the parameter of `dev_setFaults`. Absent faults are off.
 *
 * @throws TypeError that names an unknown or invalid member.
 */
export function readFaults(input: unknown): Faults {
  if (input === undefined || input === null) return noFaults
  if (typeof input !== 'object') throw new TypeError('expected an object')
  const faults: Faults = { ...noFaults, ...input }
  for (const name of Object.keys(input))
    if (!(name in noFaults)) throw new TypeError(`there is no fault ${name}`)
  for (const name of RATES)
    if (typeof faults[name] !== 'number' || !(faults[name] >= 0 && faults[name] <= 1))
      throw new TypeError(`${name} is a rate from 0 to 1`)
  for (const name of AMOUNTS)
    if (!Number.isInteger(faults[name]) || faults[name] < 0)
      throw new TypeError(`${name} is a whole number from 0`)
  if (
    !Array.isArray(faults.operations) ||
    faults.operations.some((name) => typeof name !== 'string')
  )
    throw new TypeError('operations is a list of names')
  return { ...faults, operations: faults.operations.map((name) => name.toLowerCase()) }
}

/** Seeded random numbers in [0, 1), for reproducible tests. */
export function createChance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
