import { type CallRequest, callRequest } from './callParam.ts'
import {
  type BlockOverride,
  blockOverride,
  type StateOverride,
  stateOverride,
} from './overrides.ts'
import { arrayOf, boolean, objectParam, optional, type Param } from './params.ts'

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

const blockOfCalls = objectParam('block', {
  stateOverrides: stateOverride,
  blockOverrides: blockOverride,
  calls: optional(arrayOf(callRequest), []),
})

const given = objectParam('simulation', {
  blockStateCalls: optional(arrayOf(blockOfCalls), []),
  traceTransfers: optional(boolean, false),
  validation: optional(boolean, false),
  returnFullTransactions: optional(boolean, false),
})

/** Parameter of `eth_simulateV1`. */
export const simulation: Param<Simulation> = (input, scope) => {
  const { blockStateCalls, returnFullTransactions, traceTransfers, validation } = given(
    input,
    scope,
  )
  if (blockStateCalls.length === 0) throw new Error('empty input')
  return {
    blocks: blockStateCalls.map(({ blockOverrides, calls, stateOverrides }) => ({
      accounts: stateOverrides,
      block: blockOverrides,
      calls,
    })),
    isFull: returnFullTransactions,
    hasTransfers: traceTransfers,
    isChecked: validation,
  }
}
simulation.doc = {
  name: 'simulation',
  schema: { type: 'object' },
  description:
    'blockStateCalls (each with calls, stateOverrides, blockOverrides), traceTransfers, validation, returnFullTransactions',
}
