import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { callMethod, defineMethod } from '../jsonrpc/method.ts'
import { fromWire, isWire, toWire } from '../lib/wire.ts'
import { methods } from '../methods/index.ts'
import { weiMethods } from './methods.ts'
import { coinAmounts, fromSigned, scale, type Shape, toSun, toWei } from './scale.ts'

const amount = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })
const hex = amount.map((value) => `0x${value.toString(16)}`)
const noise = fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.integer().map(String))

/** JSON of a shape: amounts where it has them, any other members beside them. */
function jsonOf(shape: Shape): fc.Arbitrary<unknown> {
  if (shape === 'coin') return hex
  if (Array.isArray(shape))
    return fc.array(jsonOf((shape as readonly [Shape])[0]), { maxLength: 4 })
  const members = Object.entries(shape).map(([name, inner]) => [name, jsonOf(inner)])
  return fc
    .tuple(
      fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {
        requiredKeys: [],
      }),
      fc.dictionary(fc.constantFrom('gas', 'hash', 'input', 'logs', 'nonce'), noise),
    )
    .map(([amounts, rest]) => ({ ...rest, ...amounts }))
}

const shapes = Object.entries(coinAmounts).flatMap(([name, { params = [], result }]) => [
  ...params.map((shape, index) => [`${name} param ${index}`, shape] as const),
  ...(result ? [[`${name} result`, result] as const] : []),
])

describe('scale', () => {
  test.each(shapes)('behavior: %s comes back as it was, and only amounts change', (_, shape) => {
    fc.assert(
      fc.property(jsonOf(shape), (value) => {
        const wei = scale(shape, value, toWei)
        expect(scale(shape, wei, toSun)).toEqual(value)
      }),
    )
  })

  test('default: amounts times 10^12, everything else as it is', () => {
    const result = coinAmounts['eth_getTransactionByHash']?.result as Shape
    expect(
      scale(
        result,
        { gas: '0x5208', gasPrice: '0xd2', input: '0x01', nonce: '0x1', value: '0x1' },
        toWei,
      ),
    ).toMatchInlineSnapshot(`
      {
        "gas": "0x5208",
        "gasPrice": "0xbefe6f672000",
        "input": "0x01",
        "nonce": "0x1",
        "value": "0xe8d4a51000",
      }
    `)
  })

  test('error: a remainder is refused, with the member', () => {
    expect(() => scale({ value: 'coin' }, { value: '0x1' }, toSun)).toThrow(
      /^value: expected a multiple/,
    )
  })

  test('behavior: every method named here exists', () => {
    for (const name of Object.keys(coinAmounts)) expect(methods).toHaveProperty(name)
  })
})

describe('weiMethods', () => {
  const echo = defineMethod({
    params: [(input) => input],
    summary: '',
    handler: ({ coin }, [input]) => ({ coin, value: (input as { value: string }).value }),
  })
  const wei = weiMethods({
    eth_getTransactionByHash: { ...echo, handler: () => toWire({ value: '0x2' }) },
    eth_sendTransaction: echo,
    web3_sha3: echo,
  })
  const call = (name: string, input: unknown) =>
    callMethod(wei[name] as typeof echo, {} as never, [input])

  test('default: in on the way to the method, out on the way back', async () => {
    expect(await call('eth_sendTransaction', { value: '0xe8d4a51000' })).toEqual({
      coin: 'wei',
      value: '0x1',
    })
    const result: unknown = await call('eth_getTransactionByHash', {})
    expect(isWire(result) ? fromWire(result) : result).toEqual({ value: '0x1d1a94a2000' })
  })

  test('behavior: methods without amounts are untouched', async () => {
    expect(await call('web3_sha3', { value: '0x1' })).toEqual({ coin: 'wei', value: '0x1' })
  })

  test('error: -32602 with the position', async () => {
    expect(() => call('eth_sendTransaction', { value: '0x1' })).toThrow(
      expect.objectContaining({ code: -32602 }),
    )
  })

  test('error: a signed transaction that is no multiple', () => {
    const signed = { data: '0x', from: '0x', gas: 1n, gasPrice: 0n, hash: '0x', nonce: 0 } as const
    expect(fromSigned({ ...signed, value: 10n ** 12n }).value).toBe(1n)
    expect(() => fromSigned({ ...signed, value: 1n })).toThrow(
      expect.objectContaining({ code: -32602 }),
    )
  })
})
