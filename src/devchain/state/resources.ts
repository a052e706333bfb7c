import { type Account, FULL_WINDOW, type Resource, type Usage } from './model.ts'
import { parameter } from './parameters.ts'
import type { StateReader } from './state.ts'

/** Milliseconds of a slot, which is the time unit of recovery. */
export const SLOT = 3_000

/** Sun in a coin. */
export const COIN = 1_000_000n

const PRECISION = 1_000_000n
const SLOTS_A_DAY = 28_800n

/** The slot of a time in milliseconds. */
export function slotOf(time: number): bigint {
  return BigInt(Math.floor(time / SLOT))
}

/** The part of a use that has not recovered at a slot. A use recovers linearly over its window. */
export function recovered(usage: Usage, now: bigint): bigint {
  const window = usage.window / 1000n
  return (average(usage, now, window) * window) / PRECISION
}

/** Adds to a use at a slot. The new window is the average of both recovery times, weighted by their amounts. */
export function consume(state: StateReader, usage: Usage, amount: bigint, now: bigint): Usage {
  const fine = parameter(state, 'getAllowCancelAllUnfreezeV2') === 1n
  const window = usage.window / 1000n
  const old = average(usage, now, window)
  const added = divideUp(amount * PRECISION, SLOTS_A_DAY)
  const used = (old * window + added * SLOTS_A_DAY) / PRECISION
  const left = (old * window) / PRECISION
  if (left === 0n || used === 0n) return { used, time: now, window: FULL_WINDOW }
  const elapsed = now - usage.time
  if (!fine) {
    const size = (left * (window - elapsed) + amount * SLOTS_A_DAY) / used
    return { used, time: now, window: size * 1000n }
  }
  const size = divideUp(left * (usage.window - elapsed * 1000n) + amount * FULL_WINDOW, used)
  return { used, time: now, window: size < FULL_WINDOW ? size : FULL_WINDOW }
}

/** The same for free bandwidth, whose window is a day. */
export function consumeFree(usage: Usage, amount: bigint, now: bigint): Usage {
  const old = average({ ...usage, window: FULL_WINDOW }, now, SLOTS_A_DAY)
  const added = divideUp(amount * PRECISION, SLOTS_A_DAY)
  return { used: ((old + added) * SLOTS_A_DAY) / PRECISION, time: now, window: FULL_WINDOW }
}

/** Adds the moved part of another use, because an undelegated stake can be partly used. */
export function join(
  usage: Usage,
  moved: bigint,
  from: Usage,
  now: bigint,
  state: StateReader,
): Usage {
  const own = consume(state, usage, 0n, now)
  const used = own.used + moved
  if (used === 0n) return { used, time: now, window: FULL_WINDOW }
  const size = divideUp(own.used * own.window + moved * from.window, used)
  return { used, time: now, window: size < FULL_WINDOW ? size : FULL_WINDOW }
}

function average(usage: Usage, now: bigint, window: bigint): bigint {
  const value = divideUp(usage.used * PRECISION, window)
  if (usage.time === now) return value
  if (usage.time + window <= now) return 0n
  const decay = Number(window - (now - usage.time)) / Number(window)
  return BigInt(Math.round(Number(value) * decay))
}

function divideUp(numerator: bigint, denominator: bigint): bigint {
  return numerator / denominator + (numerator % denominator > 0n ? 1n : 0n)
}

const TOTALS = {
  BANDWIDTH: { limit: 'getTotalNetLimit', weight: 'totalNetWeight' },
  ENERGY: { limit: 'getTotalEnergyCurrentLimit', weight: 'totalEnergyWeight' },
} as const

/** The total amount of a resource on the chain, and the number of coins that share it. */
export function totals(state: StateReader, resource: Resource): { limit: bigint; weight: bigint } {
  const { limit, weight } = TOTALS[resource]
  return { limit: parameter(state, limit), weight: state.get('property', weight) ?? 0n }
}

/** The amount of a resource that an account's stake gives. Computed in floating point, like the node. */
export function stakeLimit(state: StateReader, account: Account, resource: Resource): bigint {
  const { limit, weight } = totals(state, resource)
  if (weight === 0n) return 0n
  const staked = Number(account.frozen[resource] + account.acquired[resource]) / Number(COIN)
  return BigInt(Math.trunc(staked * (Number(limit) / Number(weight))))
}

/** The unused energy of an account's stake. */
export function energyLeft(state: StateReader, account: Account, now: bigint): bigint {
  const left = stakeLimit(state, account, 'ENERGY') - recovered(account.energy, now)
  return left > 0n ? left : 0n
}

/** The voting power of an account in sun: its whole stake, or its stake for votes alone. */
export function votingPower(account: Account): bigint {
  const { BANDWIDTH, ENERGY, TRON_POWER } = account.frozen
  if (account.ownPower) return TRON_POWER
  return BANDWIDTH + ENERGY + TRON_POWER + account.delegated.BANDWIDTH + account.delegated.ENERGY
}
