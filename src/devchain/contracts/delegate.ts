import { invalid } from '../state/errors.ts'
import type { Account, Delegation, Resource } from '../state/model.ts'
import { parameter } from '../state/parameters.ts'
import { COIN, SLOT, consume, join, recovered, totals } from '../state/resources.ts'
import type { State, StateReader } from '../state/state.ts'
import { powerOf } from './freeze.ts'
import type { ContractType, Execution } from './types.ts'
import { hex, int, isAddress, ownerAccount, updateAccount } from './types.ts'

/** Bandwidth of a delegating transaction, which builders subtract. */
const DELEGATION_SIZE = 279n

/** Default duration of a locked delegation in slots: three days. */
const DEFAULT_LOCK = 86_400n

const RESOURCES = ['BANDWIDTH', 'ENERGY'] as const

const USAGE = { BANDWIDTH: 'net', ENERGY: 'energy' } as const

const lockPeriod = (value: Execution['value']) => int(value, 'lock_period') || DEFAULT_LOCK

const keyOf = (owner: string, receiver: string, resource: Resource, locked: boolean) =>
  `${owner}/${receiver}/${resource}${locked ? '/locked' : ''}`

/** Turns expired locked delegations into free ones. */
function unlock(state: State, owner: string, receiver: string, now: number): void {
  for (const resource of RESOURCES) {
    const locked = state.get('delegation', keyOf(owner, receiver, resource, true))
    if (!locked || locked.expires >= now) continue
    add(state, keyOf(owner, receiver, resource, false), locked.amount, 0)
    state.set('delegation', keyOf(owner, receiver, resource, true), undefined)
  }
}

function add(state: State, key: string, amount: bigint, expires: number): void {
  const sum = (state.get('delegation', key)?.amount ?? 0n) + amount
  const delegation: Delegation = { amount: sum, expires }
  state.set('delegation', key, sum === 0n ? undefined : delegation)
}

function changeIndex(state: State, key: string, address: string, present: boolean): void {
  const others = (state.get('delegationIndex', key) ?? []).filter((item) => item !== address)
  state.set('delegationIndex', key, present ? [...others, address] : others)
}

/** Coins of a stake whose resource is unused. */
export function delegable(
  { state, slot, building }: Pick<Execution, 'building' | 'slot'> & { state: StateReader },
  account: Account,
  resource: Resource,
): bigint {
  const { limit, weight } = totals(state, resource)
  const own = building && resource === 'BANDWIDTH' ? DELEGATION_SIZE : 0n
  const used = recovered(account[USAGE[resource]], slot) + own
  const covered = BigInt(Math.trunc(Number(used) * Number(COIN) * (Number(weight) / Number(limit))))
  const fromStake = covered - account.acquired[resource]
  return account.frozen[resource] - (fromStake > 0n ? fromStake : 0n)
}

function resourceOf(execution: Execution, otherwise: string): Resource {
  const power = powerOf(execution)
  return power === 'BANDWIDTH' || power === 'ENERGY' ? power : invalid(otherwise)
}

/** DelegateResourceContract: lets another account use the bandwidth or energy of a stake. */
export const DelegateResourceContract: ContractType = {
  validate(execution) {
    const { state, value, owner, now } = execution
    const account = ownerAccount(execution)
    const amount = int(value, 'balance')
    if (amount < COIN) invalid('delegateBalance must be greater than or equal to 1 TRX')
    const resource = resourceOf(
      execution,
      'ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]',
    )
    if (delegable(execution, account, resource) < amount)
      invalid(
        `delegateBalance must be less than or equal to available Freeze${resource === 'ENERGY' ? 'Energy' : 'Bandwidth'}V2 balance`,
      )
    const receiver = hex(value, 'receiver_address')
    if (!isAddress(receiver)) invalid('Invalid receiverAddress')
    if (receiver === owner) invalid('receiverAddress must not be the same as ownerAddress')
    const target = state.get('account', receiver) ?? invalid(`Account[${receiver}] not exists`)
    if (value['lock'] === true) {
      const period = lockPeriod(value)
      const max = parameter(state, 'getMaxDelegateLockPeriod')
      if (period < 0n || period > max)
        invalid(
          `The lock period of delegate resource cannot be less than 0 and cannot exceed ${max}!`,
        )
      const expires = state.get('delegation', keyOf(owner, receiver, resource, true))?.expires ?? 0
      const remain = expires - now
      if (Number(period) * SLOT < remain)
        invalid(
          `The lock period for ${resource} this time cannot be less than the remaining time[${remain}ms] of the last lock period for ${resource}!`,
        )
    }
    if (target.type === 'Contract') invalid('Do not allow delegate resources to contract addresses')
  },
  execute(execution) {
    const { state, value, owner, now } = execution
    const resource = powerOf(execution) as Resource
    const receiver = hex(value, 'receiver_address')
    const amount = int(value, 'balance')
    const locked = value['lock'] === true
    unlock(state, owner, receiver, now)
    const expires = locked ? now + Number(lockPeriod(value)) * SLOT : 0
    add(state, keyOf(owner, receiver, resource, locked), amount, expires)
    changeIndex(state, `from/${owner}`, receiver, true)
    changeIndex(state, `to/${receiver}`, owner, true)
    updateAccount(state, receiver, ({ acquired }) => ({
      acquired: { ...acquired, [resource]: acquired[resource] + amount },
    }))
    updateAccount(state, owner, ({ delegated, frozen }) => ({
      delegated: { ...delegated, [resource]: delegated[resource] + amount },
      frozen: { ...frozen, [resource]: frozen[resource] - amount },
    }))
  },
}

/** UnDelegateResourceContract: ends a delegation. The part of its use that has not recovered goes back with it. */
export const UnDelegateResourceContract: ContractType = {
  validate(execution) {
    const { state, value, owner, now } = execution
    ownerAccount(execution, undefined, (address) => `Account[${address}] does not exist`)
    const receiver = hex(value, 'receiver_address')
    if (!isAddress(receiver)) invalid('Invalid receiverAddress')
    if (receiver === owner) invalid('receiverAddress must not be the same as ownerAddress')
    const of = (resource: Resource, locked: boolean) =>
      state.get('delegation', keyOf(owner, receiver, resource, locked))
    if (!RESOURCES.some((resource) => of(resource, false) || of(resource, true)))
      invalid('delegated Resource does not exist')
    const amount = int(value, 'balance')
    if (amount <= 0n) invalid('unDelegateBalance must be more than 0 TRX')
    const resource = resourceOf(
      execution,
      'ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]',
    )
    const locked = of(resource, true)
    const free =
      (of(resource, false)?.amount ?? 0n) + (locked && locked.expires < now ? locked.amount : 0n)
    if (free < amount)
      invalid(
        resource === 'BANDWIDTH'
          ? `insufficient delegatedFrozenBalance(BANDWIDTH), request=${amount}, unlock_balance=${free}`
          : `insufficient delegateFrozenBalance(Energy), request=${amount}, unlock_balance=${free}`,
      )
  },
  execute(execution) {
    const { state, value, owner, now, slot } = execution
    const resource = powerOf(execution) as Resource
    const receiver = hex(value, 'receiver_address')
    const amount = int(value, 'balance')
    const moved = takeBack(state, receiver, resource, amount, slot)
    unlock(state, owner, receiver, now)
    add(state, keyOf(owner, receiver, resource, false), -amount, 0)
    updateAccount(state, owner, ({ delegated, frozen }) => ({
      delegated: { ...delegated, [resource]: delegated[resource] - amount },
      frozen: { ...frozen, [resource]: frozen[resource] + amount },
    }))
    const name = USAGE[resource]
    const target = state.get('account', receiver)
    if (target && moved > 0n)
      updateAccount(state, owner, (account) => ({
        [name]: join(account[name], moved, target[name], slot, state),
      }))
    const left = RESOURCES.some((resource) =>
      [false, true].some((locked) =>
        state.get('delegation', keyOf(owner, receiver, resource, locked)),
      ),
    )
    if (!left) {
      changeIndex(state, `from/${owner}`, receiver, false)
      changeIndex(state, `to/${receiver}`, owner, false)
    }
  },
}

/** Removes a delegated stake from its receiver. Returns the part of the receiver's use that goes with it. */
function takeBack(
  state: State,
  receiver: string,
  resource: Resource,
  amount: bigint,
  slot: bigint,
): bigint {
  const account = state.get('account', receiver)
  if (!account) return 0n
  const name = USAGE[resource]
  const usage = consume(state, account[name], 0n, slot)
  const acquired = account.acquired[resource]
  let moved = 0n
  if (acquired >= amount) {
    const { limit, weight } = totals(state, resource)
    const most = (Number(amount) / Number(COIN)) * (Number(limit) / Number(weight))
    const all = Number(account.frozen[resource] + acquired)
    moved = BigInt(Math.trunc(Math.min(most, Number(usage.used) * (Number(amount) / all))))
  }
  updateAccount(state, receiver, ({ acquired }) => ({
    acquired: {
      ...acquired,
      [resource]: acquired[resource] < amount ? 0n : acquired[resource] - amount,
    },
    [name]: { ...usage, used: usage.used - moved, time: slot },
  }))
  return moved
}
