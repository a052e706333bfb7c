import type { Proposal, Witness } from '../state/model.ts'
import { PROPOSAL_KEYS, parameter } from '../state/parameters.ts'
import { slotOf } from '../state/resources.ts'
import type { State, StateReader } from '../state/state.ts'
import { addProperty } from './types.ts'

/** Finishes a block after its transactions: updates and pays its producer, and runs the maintenance if it is due. */
export function closeBlock(
  state: State,
  block: { number: number; timestamp: number; producer: string },
): void {
  const { number, producer, timestamp } = block
  const witness = state.get('witness', producer) as Witness
  state.set('witness', producer, {
    ...witness,
    produced: witness.produced + 1n,
    latestBlock: number,
    latestSlot: Number(slotOf(timestamp)),
  })
  reward(state, producer, parameter(state, 'getWitnessPayPerBlock'))
  const witnesses = (state.get('list', 'witnesses') ?? []).map(
    (address) => state.get('witness', address) as Witness,
  )
  const votes = witnesses.reduce((sum, { voteCount }) => sum + voteCount, 0n)
  const standby = Number(parameter(state, 'getWitness127PayPerBlock')) / Number(votes)
  if (votes > 0n)
    for (const { address, voteCount } of witnesses)
      reward(state, address, BigInt(Math.trunc(Number(voteCount) * standby)))

  const due = Number(state.get('property', 'nextMaintenance') ?? 0n)
  if (timestamp < due) return
  if (number > 1) {
    maintain(state, timestamp)
    addProperty(state, 'cycle', 1n)
  }
  const interval = Number(parameter(state, 'getMaintenanceTimeInterval'))
  const rounds = Math.floor((timestamp - due) / interval) + 1
  state.set('property', 'nextMaintenance', BigInt(due + rounds * interval))
}

/** Adds the part of a reward that a witness keeps. This chain does not pay the part of the voters. */
function reward(state: State, address: string, pay: bigint): void {
  const { brokerage } = state.get('witness', address) as Witness
  addProperty(state, `allowance:${address}`, BigInt(Math.trunc((brokerage / 100) * Number(pay))))
}

function maintain(state: State, now: number): void {
  const witnesses = state.get('list', 'witnesses') ?? []
  for (const address of witnesses) {
    const change = state.get('property', `votes:${address}`) ?? 0n
    if (change === 0n) continue
    const witness = state.get('witness', address) as Witness
    state.set('witness', address, { ...witness, voteCount: witness.voteCount + change })
    state.set('property', `votes:${address}`, undefined)
  }
  const active = witnesses.filter((address) => state.get('witness', address)?.isJobs)
  const needed = Math.floor((active.length * 7) / 10)
  const count = Number(state.get('property', 'proposals') ?? 0n)
  for (let id = count; id >= 1; id--) {
    const proposal = state.get('proposal', String(id)) as Proposal
    if (proposal.state !== 'PENDING' || proposal.expires > now) continue
    const approvals = proposal.approvals.filter((address) => active.includes(address)).length
    const approved = approvals >= needed
    if (approved)
      for (const { key, value } of proposal.parameters) setParameter(state, key, value, now)
    state.set('proposal', String(id), { ...proposal, state: approved ? 'APPROVED' : 'DISAPPROVED' })
  }
}

const PRICES: Readonly<Record<string, string>> = {
  getEnergyFee: 'energy',
  getTransactionFee: 'bandwidth',
  getMemoFee: 'memo',
}

function setParameter(state: State, id: bigint, value: bigint, now: number): void {
  const key = PROPOSAL_KEYS.get(id) as string
  state.set('parameter', key, value)
  if (key === 'getTotalEnergyLimit') state.set('parameter', 'getTotalEnergyCurrentLimit', value)
  const prices = PRICES[key]
  if (prices) state.set('prices', prices, `${state.get('prices', prices)},${now}:${value}`)
}

/**
 * The solidified block: the newest block that at least 70 percent of the producers have built on. With five producers it
 * is three blocks behind the head.
 */
export function solidNumber(state: StateReader): number {
  const latest = (state.get('list', 'witnesses') ?? [])
    .map((address) => state.get('witness', address) as Witness)
    .filter(({ isJobs }) => isJobs)
    .map(({ latestBlock }) => latestBlock)
    .toSorted((a, b) => a - b)
  return latest[Math.floor(latest.length * 0.3)] ?? 0
}
