import { callRequest } from './callParam.ts'
import { blockOverride, stateOverride } from './overrides.ts'
import { arrayOf, boolean, objectParam, optional, type ParamScope } from './params.ts'

/** The blocks of `eth_simulateV1`, one on top of the other, and its options. */
export type Simulation = ReturnType<typeof simulation>

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
export function simulation(input: unknown, scope?: ParamScope) {
  const { blockStateCalls, returnFullTransactions, traceTransfers, validation } = given(
    input,
    scope,
  )
  if (blockStateCalls.length === 0) throw new Error('empty input')
  return {
    // The calls of a block run one after the other.
    blocks: blockStateCalls.map(({ blockOverrides, calls, stateOverrides }) => ({
      accounts: stateOverrides,
      block: blockOverrides,
      calls,
    })),
    isFull: returnFullTransactions,
    // Whether moved coins are logs too.
    hasTransfers: traceTransfers,
    // Whether calls are checked like transactions.
    isChecked: validation,
  }
}
simulation.doc = {
  name: 'simulation',
  schema: { type: 'object' },
  description:
    'blockStateCalls (each with calls, stateOverrides, blockOverrides), traceTransfers, validation, returnFullTransactions',
}
