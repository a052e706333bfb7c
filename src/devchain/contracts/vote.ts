import { invalid } from '../state/errors.ts'
import type { Account, Witness } from '../state/model.ts'
import { parameter } from '../state/parameters.ts'
import { COIN, votingPower } from '../state/resources.ts'
import type { State, StateReader } from '../state/state.ts'
import { printInt } from './printing.ts'
import { voteRecords } from './records.ts'
import {
  addProperty,
  burn,
  type ContractType,
  hex,
  int,
  isAddress,
  list,
  ownerAccount,
  updateAccount,
} from './types.ts'

const MAX_VOTES = 30
const DAY = 86_400_000

/** Replaces an account's votes. The next maintenance updates the counts of the witnesses. */
export function setVotes(state: State, owner: string, votes: Account['votes']): void {
  const { votes: before } = state.get('account', owner) as Account
  for (const { address, count } of before) addProperty(state, `votes:${address}`, -count)
  for (const { address, count } of votes) addProperty(state, `votes:${address}`, count)
  updateAccount(state, owner, () => ({ votes }))
}

/** VoteWitnessContract: votes for witnesses, one vote for each staked coin. */
export const VoteWitnessContract: ContractType = {
  validate(execution) {
    const { state, value, owner } = execution
    if (!isAddress(owner)) invalid('Invalid address')
    const votes = list(value, 'votes')
    if (votes.length === 0) invalid('VoteNumber must more than 0')
    if (votes.length > MAX_VOTES) invalid(`VoteNumber more than maxVoteNumber ${MAX_VOTES}`)
    let sum = 0n
    for (const vote of votes) {
      const witness = hex(vote, 'vote_address')
      if (!isAddress(witness)) invalid('Invalid vote address!')
      if (int(vote, 'vote_count') <= 0n) invalid('vote count must be greater than 0')
      if (!state.get('account', witness)) invalid(`Account[${witness}] not exists`)
      if (!state.get('witness', witness)) invalid(`Witness[${witness}] not exists`)
      sum += int(vote, 'vote_count')
    }
    const power = votingPower(ownerAccount(execution))
    if (sum * COIN > power)
      invalid(`The total number of votes[${sum * COIN}] is greater than the tronPower[${power}]`)
  },
  execute({ state, value, owner }) {
    setVotes(state, owner, voteRecords.read(value['votes']))
  },
}

const validUrl = (url: string) => url.length > 0 && url.length <= 512

/** WitnessCreateContract: makes an account a candidate. */
export const WitnessCreateContract: ContractType = {
  validate(execution) {
    const { state, value, owner } = execution
    if (!isAddress(owner)) invalid('Invalid address')
    if (!validUrl(hex(value, 'url'))) invalid('Invalid url')
    const account = ownerAccount(
      execution,
      undefined,
      (address) => `account[${address}] not exists`,
    )
    if (state.get('witness', owner)) invalid(`Witness[${owner}] has existed`)
    if (account.balance < parameter(state, 'getAccountUpgradeCost'))
      invalid('balance < AccountUpgradeCost')
  },
  execute({ state, value, owner }) {
    const witness: Witness = {
      address: owner,
      url: hex(value, 'url'),
      voteCount: 0n,
      produced: 0n,
      missed: 0n,
      latestBlock: 0,
      latestSlot: 0,
      isJobs: false,
      brokerage: 20,
    }
    state.set('witness', owner, witness)
    state.set('list', 'witnesses', [...(state.get('list', 'witnesses') ?? []), owner])
    updateAccount(state, owner, () => ({
      isWitness: true,
      witness: {
        type: 'Witness',
        id: 1,
        name: 'witness',
        threshold: 1n,
        keys: [{ address: owner, weight: 1n }],
      },
    }))
    const fee = parameter(state, 'getAccountUpgradeCost')
    burn(state, owner, fee)
    return { fee }
  },
}

/** WitnessUpdateContract: changes the URL of a witness. */
export const WitnessUpdateContract: ContractType = {
  validate(execution) {
    const { state, value, owner } = execution
    ownerAccount(execution, undefined, () => 'account does not exist')
    if (!validUrl(hex(value, 'update_url'))) invalid('Invalid url')
    if (!state.get('witness', owner)) invalid('Witness does not exist')
  },
  execute({ state, value, owner }) {
    const witness = state.get('witness', owner) as Witness
    state.set('witness', owner, { ...witness, url: hex(value, 'update_url') })
  },
}

/** UpdateBrokerageContract: sets the percentage of the rewards that a witness keeps. */
export const UpdateBrokerageContract: ContractType = {
  validate({ state, value, owner }) {
    const brokerage = int(value, 'brokerage')
    if (!isAddress(owner)) invalid('Invalid ownerAddress')
    if (brokerage < 0n || brokerage > 100n) invalid('Invalid brokerage')
    if (!state.get('witness', owner)) invalid(`Not existed witness:${owner}`)
    if (!state.get('account', owner)) invalid('Account does not exist')
  },
  execute({ state, value, owner }) {
    const witness = state.get('witness', owner) as Witness
    state.set('witness', owner, { ...witness, brokerage: Number(int(value, 'brokerage')) })
  },
}

/** Rewards that an account may withdraw, sun. */
export function allowanceOf(state: StateReader, address: string): bigint {
  return state.get('property', `allowance:${address}`) ?? 0n
}

/** WithdrawBalanceContract: withdraws rewards, once a day. */
export const WithdrawBalanceContract: ContractType = {
  validate(execution) {
    const account = ownerAccount(execution)
    const { state, owner, now } = execution
    if (state.get('witness', owner)?.isJobs)
      invalid(`Account[${owner}] is a guard representative and is not allowed to withdraw Balance`)
    if (now - account.latestWithdraw < DAY)
      invalid(`The last withdraw time is ${account.latestWithdraw}, less than 24 hours`)
    if (allowanceOf(state, owner) <= 0n) invalid('witnessAccount does not have any reward')
  },
  execute({ state, owner, now }) {
    const allowance = allowanceOf(state, owner)
    state.set('property', `allowance:${owner}`, undefined)
    updateAccount(state, owner, ({ balance }) => ({
      balance: balance + allowance,
      latestWithdraw: now,
    }))
    return { info: { withdraw_amount: printInt(allowance) } }
  },
}
