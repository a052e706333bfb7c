import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

import { describe, expect, test } from 'vitest'

import { owned, owner, rawDataOf, samples } from '../../../test/support/contractSamples.ts'
import { parseNative } from '../wire/json.ts'
import type { Transaction } from '../wire/types.ts'
import { type ContractType, contractSchemas } from './contracts.ts'
import {
  decodeTransaction,
  encodeTransaction,
  rawDataBytes,
  rawDataFromJson,
  rawDataToJson,
  transactionId,
} from './transaction.ts'

/** Every transaction of a recorded chain, as a node prints it. */
const recorded = parseNative(
  gunzipSync(
    readFileSync(new URL('../../../test/fixtures/transactions.json.gz', import.meta.url)),
  ).toString(),
) as Transaction[]

describe('recorded transactions', () => {
  test('default: raw_data encodes to the very bytes and id', () => {
    expect(recorded).toHaveLength(348)
    for (const { raw_data, raw_data_hex, txID } of recorded) {
      const bytes = rawDataFromJson(raw_data)
      expect(bytes.toString('hex')).toBe(raw_data_hex)
      expect(transactionId(bytes)).toBe(txID)
    }
  })

  test('default: decoded bytes are the JSON that the node prints', () => {
    for (const { raw_data, raw_data_hex } of recorded)
      expect(rawDataToJson(Buffer.from(raw_data_hex, 'hex'))).toEqual(raw_data)
  })

  test('default: whole transactions survive the way through bytes, results and signatures included', () => {
    for (const transaction of recorded) {
      const { contract_address: _, ...expected } = transaction
      expect(decodeTransaction(encodeTransaction(transaction))).toEqual(expected)
    }
  })
})

describe('contract types', () => {
  test.each(Object.keys(contractSchemas) as ContractType[])('default: %s', (type) => {
    const raw = rawDataOf(type, samples[type])
    expect(rawDataToJson(rawDataFromJson(raw))).toEqual(raw)
  })

  test('behavior: a type that has no message keeps its name and has no value', () => {
    const bytes = Buffer.from('5a02081f', 'hex')
    expect(transactionId(bytes)).toBe(
      'debef90d0a8077620711b1b5af2b702665887ddcbf80868108026e1ab5e0bfb7',
    )
    expect(rawDataToJson(Buffer.from('5a020814', 'hex'))).toEqual({
      contract: [{ type: 'CustomContract', parameter: { type_url: '' } }],
    })
  })

  test('behavior: other spellings are read: visible, 20-byte addresses, enum numbers, neutral names', () => {
    const plain = rawDataOf('FreezeBalanceV2Contract', { ...owned, resource: 'TRON_POWER' })
    const value = { owner_address: 'TRcdM4KTpBzgJHbwU7yRhbPratNVK829am', resource: 'NATIVE_POWER' }
    const spelled = {
      ...rawDataOf('FreezeBalanceV2Contract', {}),
      contract: [
        {
          type: 'FreezeBalanceV2Contract',
          parameter: { value, type_url: '<type_prefix>/protocol.FreezeBalanceV2Contract' },
        },
      ],
    }
    const short = rawDataOf('FreezeBalanceV2Contract', {
      owner_address: `0x${owner.slice(2)}`,
      resource: 2,
    })
    expect(rawDataFromJson(spelled, { visible: true })).toEqual(rawDataFromJson(plain))
    expect(rawDataFromJson(short)).toEqual(rawDataFromJson(plain))
    expect(rawDataToJson(rawDataFromJson(plain), { visible: true }).contract?.[0]?.parameter?.value)
      .toMatchInlineSnapshot(`
        {
          "owner_address": "TRcdM4KTpBzgJHbwU7yRhbPratNVK829am",
          "resource": "TRON_POWER",
        }
      `)
  })

  test('error: a text that is not UTF-8; the character for such bytes is a text as any other', () => {
    const name = '\ufffd'
    const raw = rawDataOf('CreateSmartContract', { ...owned, new_contract: { name } })
    const bytes = rawDataFromJson(raw)
    expect(rawDataToJson(bytes)).toEqual(raw)
    const broken = bytes.toString('hex').replace(Buffer.from(name).toString('hex'), 'ffffff')
    expect(() => rawDataToJson(Buffer.from(broken, 'hex'))).toThrow('not a CreateSmartContract')
  })

  test.each([
    ['raw_data_hex', () => rawDataBytes({ raw_data_hex: '0a02zz' })],
    ['raw_data_hex', () => transactionId('0a0')],
    ['signature', () => encodeTransaction({ raw_data_hex: '0a0212ab', signature: ['00z0'] })],
    ['transaction', () => decodeTransaction('0x0a020a00 ')],
  ])('error: a %s that is not hex', (what, read) => {
    expect(read).toThrow(new TypeError(`${what}: expected hex bytes`))
  })

  test('error: a field that cannot be encoded exactly is refused by name', () => {
    const encode = (value: Record<string, unknown>, type = 'TransferContract') =>
      rawDataFromJson(rawDataOf(type, value))
    expect(() => encode({ amuont: 1 })).toThrow('TransferContract.amuont: no such field')
    expect(() => encode({ amount: 2 ** 53 })).toThrow('amount: expected an exact integer')
    expect(() => encode({ amount: 2n ** 63n })).toThrow('amount: does not fit 64 bits')
    expect(() => encode({ to_address: 'zz' })).toThrow('to_address: expected hex bytes')
    expect(() => encode({}, 'CustomContract')).toThrow('CustomContract cannot be encoded')
    expect(() => decodeTransaction('02f86b')).toThrow('transaction: ')
  })
})
