import fc from 'fast-check'
import { encodeAbiParameters, encodeErrorResult, type Hex } from 'viem'
import { expect, test } from 'vitest'

import { revertReason } from './revert.ts'

const error = (reason: string): Hex =>
  `0x08c379a0${encodeAbiParameters([{ type: 'string' }], [reason]).slice(2)}`
const panic = (code: bigint): Hex =>
  `0x4e487b71${encodeAbiParameters([{ type: 'uint256' }], [code]).slice(2)}`

test('default', () => {
  expect(revertReason(error('the reason'))).toBe('the reason')
})

test('args: Panic', () => {
  expect([0x01n, 0x11n, 0x12n, 0x32n, 0x99n].map((code) => revertReason(panic(code)))).toEqual([
    'assert(false)',
    'arithmetic underflow or overflow',
    'division or modulo by zero',
    'out-of-bounds access of an array or bytesN',
    'unknown panic code: 0x99',
  ])
})

test('behavior: returns any text', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0x10ffff })), (codePoints) => {
      const text = String.fromCodePoint(...codePoints)
      expect(revertReason(error(text))).toBe(Buffer.from(text).toString())
    }),
  )
})

test('behavior: custom, raw, empty and malformed data have no reason', () => {
  const custom = encodeErrorResult({
    abi: [{ type: 'error', name: 'Custom', inputs: [{ name: 'code', type: 'uint256' }] }],
    args: [42n],
  })
  const inputs: Hex[] = [
    custom,
    '0x',
    '0xdeadbeef',
    '0x08c379a0',
    '0x4e487b71',
    error('cut short').slice(0, -64) as Hex,
    `0x08c379a0${'f'.repeat(128)}`,
  ]
  expect(inputs.map(revertReason)).toEqual(inputs.map(() => undefined))
})
