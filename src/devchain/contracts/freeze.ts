import { invalid } from '../state/errors.ts'
import type { Account, Power } from '../state/model.ts'
import { parameter } from '../state/parameters.ts'
import { COIN, votingPower } from '../state/resources.ts'
import type { State } from '../state/state.ts'
import { printInt, withoutZeros } from './printing.ts'
import type { ContractType, Execution } from './types.ts'
import { addProperty, int, ownerAccount, updateAccount } from './types.ts'
import { setVotes } from './vote.ts'

const DAY = 86_400_000

/** Maximum number of pending unfreezings of an account. */
export const MAX_UNFREEZINGS = 32

const WEIGHTS: Readonly<Record<Power, string>> = {
  BANDWIDTH: 'totalNetWeight',
  ENERGY: 'totalEnergyWeight',
  TRON_POWER: 'totalPowerWeight',
}

/** The resource of a message; bandwidth if absent. */
export const powerOf = ({ value }: Execution): string =>
  (value['resource'] as string | undefined) ?? 'BANDWIDTH'

const staked = (account: Account, power: Power) =>
  account.frozen[power] + (power === 'TRON_POWER' ? 0n : account.delegated[power])

/** Changes a stake and the total weight of the chain, which counts whole coins of each account. */
function changeStake(state: State, owner: string, power: Power, amount: bigint): bigint {
  const before = staked(state.get('account', owner) as Account, power) / COIN
  updateAccount(state, owner, ({ frozen }) => ({
    frozen: { ...frozen, [power]: frozen[power] + amount },
  }))
  const after = staked(state.get('account', owner) as Account, power) / COIN
  addProperty(state, WEIGHTS[power], after - before)
  return after - before
}

const supportsPower = (state: State) => parameter(state, 'getAllowNewResourceModel') === 1n

/** FreezeBalanceV2Contract: stakes coins for bandwidth, energy or votes. */
export const FreezeBalanceV2Contract: ContractType = {
  validate(execution) {
    const { state, value } = execution
    const account = ownerAccount(execution)
    const amount = int(value, 'frozen_balance')
    if (amount <= 0n) invalid('frozenBalance must be positive')
    if (amount < COIN) invalid('frozenBalance must be greater than or equal to 1 TRX')
    if (amount > account.balance)
      invalid('frozenBalance must be less than or equal to accountBalance')
    const power = powerOf(execution)
    const names = supportsPower(state) ? 'BANDWIDTH、ENERGY、TRON_POWER' : 'BANDWIDTH、ENERGY'
    if (!(power in WEIGHTS) || (power === 'TRON_POWER' && !supportsPower(state)))
      invalid(`ResourceCode error, valid ResourceCode[${names}]`)
  },
  execute(execution) {
    const { state, value, owner } = execution
    const amount = int(value, 'frozen_balance')
    changeStake(state, owner, powerOf(execution) as Power, amount)
    updateAccount(state, owner, ({ balance }) => ({
      balance: balance - amount,
      ...(supportsPower(state) && { ownPower: true }),
    }))
  },
}

/** The sum of the expired unfreezings, and the remaining list. */
export function matured(account: Account, now: number) {
  const over = account.unfreezing.filter(({ expires }) => expires <= now)
  return {
    amount: over.reduce((sum, { amount }) => sum + amount, 0n),
    rest: account.unfreezing.filter(({ expires }) => expires > now),
  }
}

const withdrawn = (amount: bigint) => ({
  info: withoutZeros({ withdraw_expire_amount: amount }),
})

/** UnfreezeBalanceV2Contract: unstakes coins, which can be withdrawn after a waiting time. */
export const UnfreezeBalanceV2Contract: ContractType = {
  validate(execution) {
    const { state, value, now } = execution
    const account = ownerAccount(execution)
    const power = powerOf(execution)
    const names: Record<string, string> = { BANDWIDTH: 'BANDWIDTH', ENERGY: 'Energy' }
    if (supportsPower(state)) names['TRON_POWER'] = 'TronPower'
    const name =
      names[power] ??
      invalid(
        `ResourceCode error.valid ResourceCode[BANDWIDTH、Energy${supportsPower(state) ? '、TRON_POWER' : ''}]`,
      )
    const frozen = account.frozen[power as Power]
    if (frozen <= 0n) invalid(`no frozenBalance(${name})`)
    const amount = int(value, 'unfreeze_balance')
    if (amount <= 0n || amount > frozen) invalid(`Invalid unfreeze_balance, [${amount}] is error`)
    if (matured(account, now).rest.length >= MAX_UNFREEZINGS)
      invalid('Invalid unfreeze operation, unfreezing times is over limit')
  },
  execute(execution) {
    const { state, value, owner, now } = execution
    const power = powerOf(execution) as Power
    const amount = int(value, 'unfreeze_balance')
    const over = matured(state.get('account', owner) as Account, now)
    const expires = now + Number(parameter(state, 'getUnfreezeDelayDays')) * DAY
    updateAccount(state, owner, ({ balance }) => ({
      balance: balance + over.amount,
      unfreezing: [...over.rest, { resource: power, amount, expires }],
    }))
    changeStake(state, owner, power, -amount)
    shrinkVotes(state, owner)
    return withdrawn(over.amount)
  },
}

/** Reduces votes in proportion when the stake no longer covers them. */
function shrinkVotes(state: State, owner: string): void {
  const account = state.get('account', owner) as Account
  const total = account.votes.reduce((sum, { count }) => sum + count, 0n)
  const power = votingPower(account)
  if (total === 0n || power >= total * COIN) return
  const votes = account.votes.map(({ address, count }) => ({
    address,
    count: BigInt(Math.trunc(((Number(count) / Number(total)) * Number(power)) / Number(COIN))),
  }))
  setVotes(
    state,
    owner,
    votes.filter(({ count }) => count > 0n),
  )
}

/** WithdrawExpireUnfreezeContract: withdraws the expired unfreezings. */
export const WithdrawExpireUnfreezeContract: ContractType = {
  validate(execution) {
    const account = ownerAccount(execution)
    if (matured(account, execution.now).amount <= 0n) invalid('no unFreeze balance to withdraw ')
  },
  execute({ state, owner, now }) {
    const { amount, rest } = matured(state.get('account', owner) as Account, now)
    updateAccount(state, owner, ({ balance }) => ({ balance: balance + amount, unfreezing: rest }))
    return withdrawn(amount)
  },
}

/** CancelAllUnfreezeV2Contract: stakes the pending unfreezings again. */
export const CancelAllUnfreezeV2Contract: ContractType = {
  validate(execution) {
    if (parameter(execution.state, 'getAllowCancelAllUnfreezeV2') !== 1n)
      invalid('Not support CancelAllUnfreezeV2 transaction, need to be opened by the committee')
    if (ownerAccount(execution).unfreezing.length === 0) invalid('No unfreezeV2 list to cancel')
  },
  execute({ state, owner, now }) {
    const { amount, rest } = matured(state.get('account', owner) as Account, now)
    const back: Record<Power, bigint> = { BANDWIDTH: 0n, ENERGY: 0n, TRON_POWER: 0n }
    for (const { resource, amount } of rest) {
      back[resource] += amount
      changeStake(state, owner, resource, amount)
    }
    updateAccount(state, owner, ({ balance }) => ({ balance: balance + amount, unfreezing: [] }))
    return {
      info: {
        ...withoutZeros({ withdraw_expire_amount: amount }),
        cancel_unfreezeV2_amount: (Object.keys(back) as Power[]).map((key) => ({
          key,
          value: printInt(back[key]),
        })),
      },
    }
  },
}

/** FreezeBalanceContract: the first kind of stake, closed since the second exists. */
export const FreezeBalanceContract: ContractType = {
  validate: () => invalid('freeze v2 is open, old freeze is closed'),
  execute: () => undefined,
}

/** UnfreezeBalanceContract: for stakes of the first kind, which this chain does not have. */
export const UnfreezeBalanceContract: ContractType = {
  validate(execution) {
    ownerAccount(execution)
    invalid(
      powerOf(execution) === 'ENERGY' ? 'no frozenBalance(Energy)' : 'no frozenBalance(BANDWIDTH)',
    )
  },
  execute: () => undefined,
}
