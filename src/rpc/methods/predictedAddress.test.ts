import type { Address } from 'viem'
import { expect, test } from 'vitest'

import { type Param, PLAIN } from '../params/params.ts'
import { methods } from './index.ts'

const predicted: Address = `0x${'0b'.repeat(20)}`
const actual: Address = `0x${'0c'.repeat(20)}`
const from: Address = `0x${'0d'.repeat(20)}`

const contractAt = (address: Address) => (address === predicted ? actual : address)

/** The result of the decoders of a method for an input. */
function decode(name: keyof typeof methods, ...input: unknown[]): unknown[] {
  const decoders = methods[name].params as readonly Param<unknown>[]
  const scope = { ...PLAIN, contractAt }
  return input.map((value, index) => decoders[index]?.(value, scope))
}

test.each([
  ['buildTransaction', [{ from, to: predicted }], { to: actual }],
  ['eth_call', [{ to: predicted }], { to: actual }],
  ['eth_estimateGas', [{ to: predicted }], { to: actual }],
  ['eth_fillTransaction', [{ from, to: predicted }], { value: { to: actual } }],
  ['eth_sendTransaction', [{ from, to: predicted }], { value: { to: actual } }],
  ['eth_signTransaction', [{ from, to: predicted }], { value: { to: actual } }],
  ['eth_getLogs', [{ address: predicted }], { addresses: [actual] }],
  ['eth_newFilter', [{ address: [predicted, from] }], { addresses: [actual, from] }],
] as const)('default: %s sees the contract that a predicted address means', (name, input, seen) => {
  expect(decode(name, ...input)[0]).toMatchObject(seen)
})

test.each(['eth_getBalance', 'eth_getCode', 'eth_getStorageAt'] as const)(
  'default: %s sees the contract that a predicted address means',
  (name) => {
    expect(decode(name, predicted)).toEqual([actual])
    expect(decode(name, from)).toEqual([from])
  },
)

test('default: eth_subscribe sees the contract that a predicted address means', () => {
  expect(decode('eth_subscribe', 'logs', { address: predicted })[1]).toMatchObject({
    filter: { addresses: [actual] },
  })
})

test('behavior: senders are never replaced', () => {
  expect(decode('eth_call', { from: predicted })[0]).toMatchObject({ from: predicted })
})
