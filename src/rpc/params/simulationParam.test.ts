import { expect, test } from 'vitest'

import { SUN, WEI } from '../../codec/unit.ts'
import { PLAIN } from './params.ts'
import {
  blockOverrides,
  simulatedCall,
  simulation,
  stateOverrides,
  traceOptions,
} from './simulationParam.ts'

const PREDICTED = `0x${'aa'.repeat(20)}` as const
const ACTUAL = `0x${'bb'.repeat(20)}` as const
const scope = {
  ...PLAIN,
  unit: WEI,
  contractAt: (address: `0x${string}`) => (address === PREDICTED ? ACTUAL : address),
}

test('default: calls and overrides have the contract of a predicted address', () => {
  const call = { to: PREDICTED, input: '0x12', gas: '0x5' }
  const expected = { to: ACTUAL, data: '0x12', gas: '0x5' }
  expect(simulatedCall(call, scope)).toEqual({ unit: WEI, value: expected })
  expect(simulatedCall(call)).toEqual({ unit: SUN, value: { ...expected, to: PREDICTED } })
  const change = { [PREDICTED]: { balance: '0x1' } }
  expect(stateOverrides(change, scope)).toEqual({ [ACTUAL]: { balance: '0x1' } })
  expect(traceOptions({ tracer: 'callTracer', stateOverrides: change }, scope)).toEqual({
    tracer: 'callTracer',
    stateOverrides: { [ACTUAL]: { balance: '0x1' } },
  })
  const blocks = [{ calls: [call], stateOverrides: change, blockOverrides: { number: '0x1' } }]
  expect(simulation({ blockStateCalls: blocks, validation: true }, scope)).toEqual({
    unit: WEI,
    value: {
      blockStateCalls: [
        {
          calls: [expected],
          stateOverrides: { [ACTUAL]: { balance: '0x1' } },
          blockOverrides: { number: '0x1' },
        },
      ],
      validation: true,
    },
  })
})

test('behavior: empty overrides are none', () => {
  for (const none of [undefined, null, {}]) {
    expect(stateOverrides(none)).toBeUndefined()
    expect(blockOverrides(none)).toBeUndefined()
  }
})

test('args: the names that other nodes have, and members that are null', () => {
  const names = { blockNumber: '0x1', timestamp: '0x2', coinbase: ACTUAL, baseFee: '0x3' }
  const given = { ...names, random: '0x4', gasLimit: '0x5', blockHash: null }
  expect(blockOverrides(given)).toEqual({
    number: '0x1',
    time: '0x2',
    gasLimit: '0x5',
    feeRecipient: ACTUAL,
    baseFeePerGas: '0x3',
    prevRandao: '0x4',
  })
  expect(traceOptions({ blockOverrides: { blockNumber: '0x1' } })).toEqual({
    blockOverrides: { number: '0x1' },
  })
  const blocks = [{ blockOverrides: { blockNumber: '0x1' }, calls: null }]
  expect(simulation({ blockStateCalls: blocks, validation: null }).value).toEqual({
    blockStateCalls: [{ blockOverrides: { number: '0x1' } }],
  })
})

test.each([
  ['a block override', () => blockOverrides({ blockHash: { '0x1': '0x2' } }), 'blockHash'],
  ['one that is misspelt', () => blockOverrides({ numbre: '0x1' }), 'numbre'],
  ['one of blobs', () => blockOverrides({ blobBaseFee: '0x1' }), 'blobBaseFee'],
  ['an override of an account', () => stateOverrides({ [ACTUAL]: { balanse: '0x1' } }), 'balanse'],
  [
    'a moved precompiled contract',
    () => stateOverrides({ [ACTUAL]: { movePrecompileToAddress: PREDICTED } }),
    'movePrecompileToAddress',
  ],
  ['one of a trace', () => traceOptions({ blockOverrides: { hash: '0x1' } }), 'hash'],
  ['an option of a trace', () => traceOptions({ stateOverride: {} }), 'stateOverride'],
  [
    'one of a simulated block',
    () => simulation({ blockStateCalls: [{ blockOverrides: { hash: '0x1' } }] }),
    'hash',
  ],
  [
    'a member of a simulated block',
    () => simulation({ blockStateCalls: [{ blockOverride: {} }] }),
    'blockOverride',
  ],
  ['an option of a simulation', () => simulation({ traceTransfer: true }), 'traceTransfer'],
])('error: %s that is unknown, by name', (_, decode, name) => {
  expect(decode).toThrow(`unknown member "${name}"`)
})

test('error: two names of one override', () => {
  expect(() => blockOverrides({ number: '0x1', blockNumber: '0x1' })).toThrow(
    'expected number or blockNumber, got both',
  )
})

test('error: what is no object, and a position inside a block', () => {
  expect(() => stateOverrides('x')).toThrow('expected state overrides, got "x"')
  expect(() => blockOverrides([])).toThrow('expected block overrides, got []')
  expect(() => simulatedCall(5)).toThrow('expected a call object, got 5')
  expect(() => simulation({ blockStateCalls: [{ calls: [5] }] })).toThrow('expected a call object')
  expect(() => traceOptions({ txIndex: '0x0' })).toThrow('txIndex is not supported')
})
