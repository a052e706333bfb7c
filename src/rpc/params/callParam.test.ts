import { describe, expect, test } from 'vitest'

import { callRequest, toPlainCall } from './callParam.ts'

const A = '0x42194febc0f076d4151747569ae87374b41f4a09'
const ZERO = `0x${'0'.repeat(40)}`

describe('callRequest', () => {
  test('default', () => {
    expect(callRequest({ to: A, data: '0x1234' })).toEqual({
      to: A,
      data: '0x1234',
      value: 0n,
    })
  })

  test('args: input, equal data and input', () => {
    expect(callRequest({ to: A, input: '0x12' }).data).toBe('0x12')
    expect(callRequest({ to: A, input: '0xAB', data: '0xab' }).data).toBe('0xab')
    expect(callRequest({ to: A, input: '0x12', data: null }).data).toBe('0x12')
  })

  test('args: nothing where clients write null, 0x or an empty string', () => {
    const none = { data: '0x', value: 0n }
    expect(callRequest({})).toEqual(none)
    expect(callRequest({ from: null, to: null, data: null, input: null, value: null })).toEqual(
      none,
    )
    expect(callRequest({ from: '0x', to: '0x', data: '0x', value: '0x' })).toEqual(none)
    expect(callRequest({ to: '' })).toEqual(none)
  })

  test('args: value above 2^53', () => {
    expect(callRequest({ value: '0x20000000000001' }).value).toBe(9_007_199_254_740_993n)
    expect(callRequest({ value: 7 }).value).toBe(7n)
  })

  test('args: the members of a transaction; those that no node knows are ignored', () => {
    const known = {
      chainId: '0x1',
      gasPrice: '0x0',
      maxFeePerGas: '0x1',
      nonce: '0x7',
      type: '0x2',
    }
    const foreign = { chain: {}, hardfork: 'london', networkId: 1 }
    const request = callRequest({ to: A, accessList: [], gas: 5, ...known, ...foreign })
    expect(request).toEqual({
      to: A,
      data: '0x',
      value: 0n,
      accessList: [],
      chainId: 1n,
      gas: 5n,
      gasPrice: 0n,
      maxFeePerGas: 1n,
      nonce: 7n,
      type: 2n,
    })
    expect(toPlainCall(request)).toEqual({ from: ZERO, to: A, data: '0x', value: 0n })
  })

  test.each([
    [undefined, 'expected a call object, got nothing'],
    [[], 'expected a call object, got []'],
    ['0x', 'expected a call object, got "0x"'],
    [{ to: 'x' }, 'to: expected a 20-byte hex or a base58 address, got "x"'],
    [{ from: 5 }, 'from: expected a 20-byte hex or a base58 address, got 5'],
    [{ data: '0x1' }, 'data: expected hex bytes such as 0x1234, got "0x1"'],
    [{ gas: 'junk' }, 'gas: expected a hex quantity such as 0x1, got "junk"'],
    [{ maxFeePerGas: 1, maxPriorityFeePerGas: 2 }, 'max priority fee per gas higher than'],
    [{ blobs: ['0x'] }, 'transaction type not supported'],
    [{ value: '0xzz' }, 'value: expected a hex quantity such as 0x1, got "0xzz"'],
    [{ data: '0x12', input: '0x34' }, 'expected data and input to be equal when both are given'],
  ])('error: %j', (input, message) => {
    expect(() => callRequest(input)).toThrow(message)
  })
})
