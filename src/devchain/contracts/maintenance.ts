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
  payStandby(state)

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

/** Consecutive blocks without transactions. `time` is that of the first, `step` the time from each to the next, milliseconds. */
type EmptyBlocks = { from: number; to: number; time: number; step: number }

/**
 * Finishes many empty blocks at once, as `closeBlock` would one after the other. They must be earlier than `quietUntil`.
 *
 * @param producers - The producer of a height, and the number of heights after which it comes again.
 */
export function closeEmptyBlocks(
  state: State,
  { from, step, time, to }: EmptyBlocks,
  producers: { at: (number: number) => string; period: number },
): void {
  const { at, period } = producers
  const pay = parameter(state, 'getWitnessPayPerBlock')
  for (let number = to; number >= from && number > to - period; number--) {
    const address = at(number)
    const witness = state.get('witness', address) as Witness
    const count = BigInt(Math.floor((number - from) / period) + 1)
    state.set('witness', address, {
      ...witness,
      produced: witness.produced + count,
      latestBlock: number,
      latestSlot: Number(slotOf(time + (number - from) * step)),
    })
    reward(state, address, pay, count)
  }
  const length = to - from + 1
  payStandby(state, BigInt(length))

  const last = time + (length - 1) * step
  const due = Number(state.get('property', 'nextMaintenance') ?? 0n)
  if (last < due) return
  const interval = Number(parameter(state, 'getMaintenanceTimeInterval'))
  const rounds = Math.floor((last - due) / interval) + 1
  // A block runs the maintenance once, also when it is several intervals after the block before.
  const early = Math.max(0, Math.ceil((due - time) / step))
  addProperty(state, 'cycle', BigInt(Math.min(rounds, length - early)))
  state.set('property', 'nextMaintenance', BigInt(due + rounds * interval))
}

/**
 * The time in milliseconds before which empty blocks change only counters and rewards: that of the next maintenance if votes or
 * proposals wait for it.
 */
export function quietUntil(state: StateReader): number {
  const votes = (state.get('list', 'witnesses') ?? []).some(
    (address) => (state.get('property', `votes:${address}`) ?? 0n) !== 0n,
  )
  let id = Number(state.get('property', 'proposals') ?? 0n)
  while (id > 0 && state.get('proposal', String(id))?.state !== 'PENDING') id--
  return votes || id > 0 ? Number(state.get('property', 'nextMaintenance') ?? 0n) : Infinity
}

/** Adds the part of a reward that a witness keeps. This chain does not pay the part of the voters. */
function reward(state: State, address: string, pay: bigint, blocks = 1n): void {
  const { brokerage } = state.get('witness', address) as Witness
  const kept = BigInt(Math.trunc((brokerage / 100) * Number(pay)))
  addProperty(state, `allowance:${address}`, kept * blocks)
}

/** Pays all witnesses by their votes. */
function payStandby(state: State, blocks = 1n): void {
  const witnesses = (state.get('list', 'witnesses') ?? []).map(
    (address) => state.get('witness', address) as Witness,
  )
  const votes = witnesses.reduce((sum, { voteCount }) => sum + voteCount, 0n)
  const standby = Number(parameter(state, 'getWitness127PayPerBlock')) / Number(votes)
  if (votes > 0n)
    for (const { address, voteCount } of witnesses)
      reward(state, address, BigInt(Math.trunc(Number(voteCount) * standby)), blocks)
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
