import type { Account } from '../state/model.ts'
import { parameter } from '../state/parameters.ts'
import { energyLeft, stakeLimit } from '../state/resources.ts'
import type { State } from '../state/state.ts'

/** The division of the energy of a contract's calls between caller and creator. */
export type Shares = {
  /** Percentage that callers pay. */
  userPercent: bigint
  /** Maximum energy that the creator pays for one call. */
  originEnergyLimit: bigint
}

/** The energy of a run, and the parts that stakes pay. */
export type EnergyLimits = {
  /** Maximum energy of the run. */
  total: bigint
  /** Energy from the stakes of caller and creator before the run. */
  callerLeft: bigint
  originLeft: bigint
}

type Request = {
  owner: string
  origin: string
  shares: Shares
  /** Sun. */
  feeLimit: bigint
  callValue: bigint
  slot: bigint
}

/** Maximum energy of a run: the energy that the fee limit buys, at most the energy that caller and creator can pay. */
export function energyLimits(state: State, request: Request): EnergyLimits {
  if (state.get('property', 'stakesPayNoEnergy')) return earlyLimits(state, request)
  const { owner, origin, shares, feeLimit, slot } = request
  const price = parameter(state, 'getEnergyFee')
  const caller = state.get('account', owner) as Account
  const callerLeft = energyLeft(state, caller, slot)
  const callerLimit = min(callerLeft + spendable(caller, request) / price, feeLimit / price)
  const creator = state.get('account', origin)
  if (!creator || origin === owner || shares.userPercent >= 100n)
    return { total: callerLimit, callerLeft, originLeft: 0n }
  const originLeft = energyLeft(state, creator, slot)
  const available = min(originLeft, shares.originEnergyLimit)
  const originShare =
    shares.userPercent <= 0n
      ? available
      : min((callerLimit * (100n - shares.userPercent)) / shares.userPercent, available)
  return { total: callerLimit + originShare, callerLeft, originLeft }
}

/** The rule before the fork of 2018: stakes raise the limit, but coins pay for the energy. */
function earlyLimits(state: State, request: Request): EnergyLimits {
  const { owner, origin, shares, slot } = request
  const none = { callerLeft: 0n, originLeft: 0n }
  const caller = earlyCallerLimit(state, request)
  const creator = state.get('account', origin)
  if (!creator || origin === owner) return { total: caller, ...none }
  const creatorLeft = energyLeft(state, creator, slot)
  const { userPercent } = shares
  return creatorLeft * userPercent > (100n - userPercent) * caller
    ? { total: (caller * 100n) / userPercent, ...none }
    : { total: caller + creatorLeft, ...none }
}

function earlyCallerLimit(state: State, request: Request): bigint {
  const { owner, feeLimit, slot } = request
  const price = parameter(state, 'getEnergyFee')
  const caller = state.get('account', owner) as Account
  const left = energyLeft(state, caller, slot)
  const staked = caller.frozen.ENERGY + caller.acquired.ENERGY
  const affordable = left + spendable(caller, request) / price
  if (staked === 0n) return min(affordable, feeLimit / price)
  const all = stakeLimit(state, caller, 'ENERGY')
  const stakeOfLeft = all > 0n ? (staked * left) / all : 0n
  const bought =
    stakeOfLeft >= feeLimit ? (all * feeLimit) / staked : left + (feeLimit - stakeOfLeft) / price
  return min(affordable, bought)
}

function spendable({ balance }: Account, { callValue }: Request): bigint {
  return balance > callValue ? balance - callValue : 0n
}

/** The smaller of two amounts. */
export const min = (a: bigint, b: bigint) => (a < b ? a : b)
