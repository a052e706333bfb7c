import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { type Amounts, amountsIn, inUnit } from '../../codec/amounts.ts'
import * as schemas from '../../codec/schemas.ts'
import { SUN, WEI } from '../../codec/unit.ts'
import { fromPrepared, isPrepared, toPrepared } from '../../lib/prepared.ts'
import { defineMethod } from '../method.ts'
import { methods } from '../methods/index.ts'
import { amount, named } from '../params/params.ts'
import { sendRequest } from '../params/sendParam.ts'
import { weiMethods } from './methods.ts'

const sun = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })
const hex = sun.map((value) => `0x${value.toString(16)}`)
const noise = fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.integer().map(String))

/** JSON values of a schema: amounts where the schema has them, and any other members. */
function jsonOf(amounts: Amounts): fc.Arbitrary<unknown> {
  if (amounts === 'amount') return hex
  if (Array.isArray(amounts))
    return fc.array(jsonOf((amounts as unknown as [Amounts])[0]), { maxLength: 4 })
  const members = Object.entries(amounts).map(([name, inner]) => [name, jsonOf(inner)])
  return fc
    .tuple(
      fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {
        requiredKeys: [],
      }),
      fc.dictionary(fc.constantFrom('gas', 'hash', 'input', 'logs', 'nonce'), noise),
    )
    .map(([given, rest]) => ({ ...rest, ...given }))
}

const results = Object.entries(methods).flatMap(([name, { result }]) => {
  const amounts = amountsIn(result)
  return amounts === undefined ? [] : [[name, amounts] as const]
})

describe('amountsIn', () => {
  test('default: every method whose result holds coins', () => {
    expect(results.map(([name]) => name).toSorted()).toEqual([
      'erigon_getHeaderByNumber',
      'eth_baseFee',
      'eth_feeHistory',
      'eth_fillTransaction',
      'eth_gasPrice',
      'eth_getBalance',
      'eth_getBlockByHash',
      'eth_getBlockByNumber',
      'eth_getBlockReceipts',
      'eth_getHeaderByHash',
      'eth_getHeaderByNumber',
      'eth_getTransactionByBlockHashAndIndex',
      'eth_getTransactionByBlockNumberAndIndex',
      'eth_getTransactionByHash',
      'eth_getTransactionReceipt',
      'eth_maxPriorityFeePerGas',
      'eth_signTransaction',
      'eth_simulateV1',
      'ethgate_feeQuote',
      'ethgate_getTransactions',
      'ots_searchTransactionsAfter',
      'ots_searchTransactionsBefore',
    ])
  })

  test('default: finds amounts in lists, members and alternatives', () => {
    expect(amountsIn(schemas.nullable(schemas.block))).toEqual({
      baseFeePerGas: 'amount',
      transactions: [
        {
          gasPrice: 'amount',
          maxFeePerGas: 'amount',
          maxPriorityFeePerGas: 'amount',
          value: 'amount',
        },
      ],
    })
    expect(amountsIn(schemas.log)).toBeUndefined()
  })
})

describe('inUnit', () => {
  test.each(results)('behavior: only amounts of %s change', (_, amounts) => {
    fc.assert(
      fc.property(jsonOf(amounts), (value) => {
        expect(inUnit(amounts, value, SUN)).toEqual(value)
        const text = JSON.stringify(inUnit(amounts, value, WEI))
        // Every amount is a multiple of 10^12 now. All other values are equal.
        const back = inUnit(amounts, JSON.parse(text), {
          ...SUN,
          fromSun: (wei) => WEI.toSun(wei),
        })
        expect(back).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

describe('weiMethods', () => {
  const pay = defineMethod({
    params: [named('value', amount)],
    result: schemas.amount,
    summary: '',
    handler: (_, [value]) => `0x${value.toString(16)}`,
  })
  const block = toPrepared({ baseFeePerGas: '0x2', gasUsed: '0x2', transactions: [] })
  const wei = weiMethods({
    eth_getBlockByNumber: { params: [], result: schemas.block, summary: '', handler: () => block },
    eth_pay: pay,
    eth_send: defineMethod({
      params: [sendRequest],
      summary: '',
      handler: (_, [{ gas, gasPrice, maxFeePerGas, value }]) => ({
        gas,
        price: gasPrice ?? maxFeePerGas,
        value,
      }),
    }),
  })
  const call = (name: string, ...input: unknown[]) =>
    callMethod(wei[name] as typeof pay, {} as never, input) as Promise<unknown>

  test('default: divides amounts of params and multiplies amounts of results', async () => {
    expect(await call('eth_pay', '0xe8d4a51000')).toBe('0xe8d4a51000')
    expect(
      await call('eth_send', {
        from: `0x${'11'.repeat(20)}`,
        gas: '0x5208',
        value: '0xe8d4a51000',
      }),
    ).toEqual({ gas: 21_000n, value: 1n })
  })

  test.each(['gasPrice', 'maxFeePerGas'])('behavior: %s is rounded down', async (name) => {
    const request = { from: `0x${'11'.repeat(20)}`, [name]: '0x17dfd63d4c900' }
    expect(await call('eth_send', request)).toMatchObject({ price: 420n })
  })

  test('behavior: an answer that is cached as bytes is converted once', async () => {
    const first = await call('eth_getBlockByNumber')
    expect(isPrepared(first) && fromPrepared(first)).toEqual({
      baseFeePerGas: '0x1d1a94a2000',
      gasUsed: '0x2',
      transactions: [],
    })
    expect(await call('eth_getBlockByNumber')).toBe(first)
  })

  test('error: -32602 for an amount that is not a whole number of sun', () => {
    expect(() => call('eth_pay', '0x1')).toThrow(
      expect.objectContaining({
        code: -32602,
        message: expect.stringContaining('expected a multiple of 10^12'),
      }),
    )
  })
})
