import { type CallRequest, callRequest } from './callParam.ts'
import {
  type BlockOverride,
  blockOverride,
  membersOf,
  type StateOverride,
  stateOverride,
} from './overrides.ts'
import { arrayOf, boolean, maybe, member, optional, type Param } from './params.ts'

/** Calls in one block, one after the other. */
export type BlockOfCalls = {
  accounts: StateOverride
  block: BlockOverride
  calls: readonly CallRequest[]
}

/** The blocks of `eth_simulateV1`, one on top of the other, and its options. */
export type Simulation = {
  blocks: readonly BlockOfCalls[]
  isFull: boolean
  /** Whether moved coins are logs too. */
  hasTransfers: boolean
  /** Whether calls are checked like transactions. */
  isChecked: boolean
}

const blockOfCalls: Param<BlockOfCalls> = (input, scope) => {
  const given = membersOf(['blockOverrides', 'stateOverrides', 'calls'], input, 'a block')
  return {
    accounts: member(given, 'stateOverrides', stateOverride, scope),
    block: member(given, 'blockOverrides', blockOverride),
    calls: member(given, 'calls', optional(arrayOf(callRequest), []), scope),
  }
}

const MEMBERS = ['blockStateCalls', 'traceTransfers', 'validation', 'returnFullTransactions']

/** Parameter of `eth_simulateV1`. */
export const simulation: Param<Simulation> = (input, scope) => {
  const given = membersOf(MEMBERS, input, 'an object')
  const blocks = member(given, 'blockStateCalls', maybe(arrayOf(blockOfCalls)), scope) ?? []
  if (blocks.length === 0) throw new Error('empty input')
  return {
    blocks,
    isFull: member(given, 'returnFullTransactions', optional(boolean, false)),
    hasTransfers: member(given, 'traceTransfers', optional(boolean, false)),
    isChecked: member(given, 'validation', optional(boolean, false)),
  }
}
simulation.doc = {
  name: 'simulation',
  schema: { type: 'object' },
  description:
    'blockStateCalls (each with calls, stateOverrides, blockOverrides), traceTransfers, validation, returnFullTransactions',
}
