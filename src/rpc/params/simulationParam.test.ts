import { expect, test } from 'vitest'

import { WEI } from '../../codec/unit.ts'
import { callRequest } from './callParam.ts'
import { blockOverride, stateOverride } from './overrides.ts'
import { PLAIN } from './params.ts'
import { simulation } from './simulationParam.ts'
import { traceCallParams } from './traceParam.ts'

const PREDICTED = `0x${'aa'.repeat(20)}` as const
const ACTUAL = `0x${'bb'.repeat(20)}` as const
const scope = {
  ...PLAIN,
  unit: WEI,
  contractAt: (address: `0x${string}`) => (address === PREDICTED ? ACTUAL : address),
}

const BALANCE = 10n ** 12n

test('default: calls and overrides have the contract of a predicted address', () => {
  const call = { to: PREDICTED, input: '0x12', gas: '0x5' }
  const expected = { to: ACTUAL, data: '0x12', gas: 5n, value: 0n }
  expect(callRequest(call, scope)).toEqual(expected)
  expect(callRequest(call)).toEqual({ ...expected, to: PREDICTED })
  const change = { [PREDICTED]: { balance: BALANCE } }
  const accounts = [[ACTUAL, { balance: 1n }]]
  expect(stateOverride(change, scope)).toEqual(accounts)
  expect(traceCallParams({ tracer: 'callTracer', stateOverrides: change }, scope)).toMatchObject({
    accounts,
    block: {},
  })
  const blocks = [{ calls: [call], stateOverrides: change, blockOverrides: { number: '0x1' } }]
  expect(simulation({ blockStateCalls: blocks, validation: true }, scope)).toEqual({
    blocks: [{ accounts, block: { number: 1n }, calls: [expected] }],
    hasTransfers: false,
    isChecked: true,
    isFull: false,
  })
})

test('behavior: empty overrides are none', () => {
  for (const none of [undefined, null, {}]) {
    expect(stateOverride(none)).toEqual([])
    expect(blockOverride(none)).toEqual({})
  }
})

test('args: the names that other nodes have, and members that are null', () => {
  const names = { blockNumber: '0x1', timestamp: '0x2', coinbase: ACTUAL, baseFee: '0x3' }
  const given = { ...names, random: '0x4', gasLimit: '0x5', blockHash: null }
  expect(blockOverride(given)).toEqual({
    number: 1n,
    time: 2n,
    gasLimit: 5n,
    feeRecipient: ACTUAL,
    baseFeePerGas: 3n,
    prevRandao: '4'.padStart(64, '0'),
  })
  expect(traceCallParams({ blockOverrides: { blockNumber: '0x1' } }).block).toEqual({ number: 1n })
  const blocks = [{ blockOverrides: { blockNumber: '0x1' }, calls: null }]
  expect(simulation({ blockStateCalls: blocks, validation: null })).toMatchObject({
    blocks: [{ accounts: [], block: { number: 1n }, calls: [] }],
    isChecked: false,
  })
})

test.each([
  ['a block override', () => blockOverride({ blockHash: { '0x1': '0x2' } }), 'blockHash'],
  ['one that is misspelt', () => blockOverride({ numbre: '0x1' }), 'numbre'],
  ['one of blobs', () => blockOverride({ blobBaseFee: '0x1' }), 'blobBaseFee'],
  ['an override of an account', () => stateOverride({ [ACTUAL]: { balanse: '0x1' } }), 'balanse'],
  [
    'a moved precompiled contract',
    () => stateOverride({ [ACTUAL]: { movePrecompileToAddress: PREDICTED } }),
    'movePrecompileToAddress',
  ],
  ['one of a trace', () => traceCallParams({ blockOverrides: { hash: '0x1' } }), 'hash'],
  ['an option of a trace', () => traceCallParams({ stateOverride: {} }), 'stateOverride'],
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
  expect(() => blockOverride({ number: '0x1', blockNumber: '0x1' })).toThrow(
    'expected number or blockNumber, got both',
  )
})

test('error: what is no object', () => {
  expect(() => stateOverride('x')).toThrow('expected state overrides, got "x"')
  expect(() => blockOverride([])).toThrow('expected block overrides, got []')
  expect(() => callRequest(5)).toThrow('expected a call object, got 5')
  expect(() => simulation({ blockStateCalls: [{ calls: [5] }] })).toThrow('expected a call object')
})
