import { expect, test } from 'vitest'

import { keys } from '../../../../test/support/recordedChain.ts'
import { buildRequest } from './request.ts'

const { bob, dave } = keys
const request = (more: object) => buildRequest({ from: bob.eth, ...more })

test('default: what is absent', () => {
  expect(request({})).toEqual({
    abi: '[]',
    consumeUserResourcePercent: 0n,
    data: '0x',
    extraData: '',
    from: bob.eth,
    gas: 0n,
    hasValue: false,
    name: '',
    originEnergyLimit: 0n,
    permissionId: 0,
    tokenId: 0n,
    tokenValue: 0n,
    value: 0n,
    visible: false,
  })
})

test('args: addresses in any spelling', () => {
  for (const to of [dave.eth, dave.hex, dave.base58]) expect(request({ to }).to).toBe(dave.eth)
})

test('args: a value of zero is given, a blank one is not', () => {
  expect(request({ value: '0x0' })).toMatchObject({ hasValue: true, value: 0n })
  expect(request({ value: '' })).toMatchObject({ hasValue: false, value: 0n })
})

test.each([
  [1_000_016, 1_000_016n],
  ['1000016', 1_000_016n],
  ['0xf4250', 1_000_016n],
  ['9223372036854775807', 2n ** 63n - 1n],
  [undefined, 0n],
])('args: tokenId %o', (tokenId, expected) => {
  expect(request({ tokenId }).tokenId).toBe(expected)
})

test('args: abi as JSON text or as the list', () => {
  expect(request({ abi: '[{"type":"fallback"}]' }).abi).toBe('[{"type":"fallback"}]')
  expect(request({ abi: [{ type: 'fallback' }] }).abi).toBe('[{"type":"fallback"}]')
  expect(request({ abi: '' }).abi).toBe('[]')
})

test('behavior: gasPrice and nonce are ignored', () => {
  expect(request({ gasPrice: '0x1', nonce: '0x7' })).toEqual(request({}))
})

test.each([
  ['no object', () => buildRequest('x'), 'expected a transaction object, got "x"'],
  ['no sender', () => buildRequest({}), 'from'],
  ['an amount beyond int64', () => request({ value: `0x8${'0'.repeat(15)}` }), 'less than 2^63'],
  ['gas beyond int64', () => request({ gas: `0x8${'0'.repeat(15)}` }), 'less than 2^63'],
  ['a token beyond int64', () => request({ tokenId: `0x8${'0'.repeat(15)}` }), 'less than 2^63'],
  ['decimal text beyond int64', () => request({ tokenId: `${2n ** 63n}` }), 'less than 2^63'],
  ['an interface that is no list', () => request({ abi: '{}' }), 'invalid abi'],
  ['an interface that is no JSON', () => request({ abi: '[' }), 'invalid abi'],
  ['a name that is no text', () => request({ name: 1 }), 'expected a text, got 1'],
  ['a memo that is no hex', () => request({ extraData: 'hi' }), 'extraData'],
])('error: %s', (_, run, message) => {
  expect(run).toThrow(message)
})
