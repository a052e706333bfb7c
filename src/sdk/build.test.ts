import { describe, expect, test } from 'vitest'

import { toNativeAddress } from '../lib/address.ts'
import {
  decodeTransaction,
  encodeTransaction,
  rawDataFromJson,
} from '../native/protobuf/transaction.ts'
import type { Transaction } from '../native/wire/types.ts'
import { buildNative } from './build.ts'

const from = `0x${'a1'.repeat(20)}` as const
const to = `0x${'b2'.repeat(20)}` as const
const wanted = { from, to, gas: 100_000n, gasPrice: 210n, value: 5n }

type Raw = Transaction['raw_data']

/** A gateway's answer: the requested transaction with changes. */
function gateway(
  value: Record<string, unknown>,
  more: Partial<Raw> = {},
  type = 'TransferContract',
) {
  const type_url = `type.googleapis.com/protocol.${type}`
  const fields = { owner_address: toNativeAddress(from), ...value }
  const raw = rawDataFromJson({
    contract: [{ type, parameter: { value: fields, type_url } }],
    expiration: Date.now() + 60_000,
    ...more,
  })
  return async () => ({ transaction: { raw_data_hex: raw.toString('hex') } })
}

const creation = { from, data: '0x6001', gas: 1n, gasPrice: 210n } as const

/** A gateway's answer to `creation`, with changes. */
const creates = (change: Record<string, unknown> = {}) =>
  gateway(
    {
      new_contract: {
        origin_address: toNativeAddress(from),
        bytecode: '6001',
        consume_user_resource_percent: 100,
        origin_energy_limit: 10_000_000,
        ...change,
      },
    },
    {},
    'CreateSmartContract',
  )

const transfer = { to_address: toNativeAddress(to), amount: 5n }

describe('buildNative', () => {
  test('default: the bytes of the requested transaction with any timestamp', async () => {
    const asked: unknown[] = []
    const request = async (method: string, params: readonly unknown[]) => {
      asked.push(method, ...params)
      return gateway(transfer)()
    }
    const [first, second] = [await buildNative(request, wanted), await buildNative(request, wanted)]
    expect(asked.slice(0, 2)).toEqual([
      'buildTransaction',
      { from, gas: '0x186a0', to, value: '0x5' },
    ])
    expect(first.id).not.toBe(second.id)
    const { raw_data } = decodeTransaction(encodeTransaction({ raw_data_hex: first.native }))
    expect(raw_data.contract?.[0]?.parameter?.value).toEqual({
      amount: 5,
      owner_address: toNativeAddress(from),
      to_address: toNativeAddress(to),
    })
  })

  test('args: another unit', async () => {
    const wei = { ...wanted, gasPrice: 210n * 10n ** 12n, value: 5n * 10n ** 12n }
    await expect(buildNative(gateway(transfer), wei, { decimals: 18 })).resolves.toBeDefined()
    await expect(buildNative(gateway(transfer), wei)).rejects.toThrow('amount')
  })

  test('args: a creation', async () => {
    await expect(buildNative(creates(), creation)).resolves.toBeDefined()
  })

  test.each([
    ['consume_user_resource_percent', 0],
    ['origin_energy_limit', 9_000_000_000],
  ])('error: a gateway that lets the creator pay by %s gets no signature', async (field, value) => {
    await expect(buildNative(creates({ [field]: value }), creation)).rejects.toThrow(
      `a different transaction than requested: ${field}`,
    )
  })

  test.each([
    ['owner_address', gateway({ ...transfer, owner_address: toNativeAddress(to) })],
    ['target', gateway({ ...transfer, to_address: toNativeAddress(from) })],
    ['amount', gateway({ ...transfer, amount: 6n })],
    ['memo', gateway(transfer, { data: '00' })],
    ['fee_limit', gateway(transfer, { fee_limit: 21_000_001n })],
    ['expiration', gateway(transfer, { expiration: Date.now() + 130_000 })],
    [
      'data',
      gateway(
        { contract_address: toNativeAddress(to), call_value: 5n, data: '01' },
        {},
        'TriggerSmartContract',
      ),
    ],
    [
      'call_token_value',
      gateway(
        {
          contract_address: toNativeAddress(to),
          call_value: 5n,
          call_token_value: 1n,
          token_id: 1_000_001n,
        },
        {},
        'TriggerSmartContract',
      ),
    ],
    [
      'type',
      gateway(
        { receiver_address: toNativeAddress(to), balance: 5n },
        {},
        'DelegateResourceContract',
      ),
    ],
  ])('error: a gateway that builds another %s gets no signature', async (field, request) => {
    await expect(buildNative(request, wanted)).rejects.toThrow(
      new RegExp(`a different transaction than requested: .*${field}`),
    )
  })

  test('args: the clock of a development chain whose time was moved', async () => {
    const later = Date.now() + 90_000_000
    const request = gateway(transfer, { expiration: later + 60_000 })
    await expect(buildNative(request, wanted, { now: () => later })).resolves.toBeDefined()
  })

  describe('a second source', () => {
    const hash = `0x${'00'.repeat(6)}1234${'ab'.repeat(8)}${'00'.repeat(16)}`
    const anchored = gateway(transfer, { ref_block_bytes: '1234', ref_block_hash: 'ab'.repeat(8) })
    /** A gateway with this solidified block, and with another block or none at height 0x71234. */
    const source =
      (finalized: number, block: object | null = { hash }) =>
      async (_: string, [at]: readonly unknown[]) =>
        at === 'finalized' ? { number: finalized } : at === '0x71234' ? block : null

    test.each([0x71234, 0x71200, 0x71300])('default: it is at %i', async (finalized) => {
      const reference = source(finalized)
      await expect(buildNative(anchored, wanted, { reference })).resolves.toBeDefined()
    })

    test.each([
      ['another block', source(0x71300, { hash: `0x${'cd'.repeat(32)}` })],
      ['no such block', source(0x71234, null)],
      ['another height', source(0x5)],
    ])('error: the second source has %s', async (_, reference) => {
      await expect(buildNative(anchored, wanted, { reference })).rejects.toThrow('another chain')
    })
  })
})
