import { describe, expect, test } from 'vitest'

import { NodeRefusedError } from '../../../native/errors.ts'
import { rawDataFromJson, transactionId } from '../../../native/protobuf/transaction.ts'
import type { Transaction } from '../../../native/wire/types.ts'
import { asInvalidRequest, verified } from './checkBuilt.ts'

const value = {
  owner_address: `41${'11'.repeat(20)}`,
  to_address: `41${'22'.repeat(20)}`,
  amount: 5,
}
const expected = { type: 'TransferContract', value }

const contractOf = (fields: object) => ({
  parameter: { type_url: 'type.googleapis.com/protocol.TransferContract', value: fields },
  type: 'TransferContract',
})

/** A transaction as the node builds one, whose bytes say what is given. */
function built(fields: object = value, more: object = {}): Transaction {
  const raw = rawDataFromJson({ contract: [contractOf(fields)], expiration: 1, ...more } as never)
  const raw_data_hex = raw.toString('hex')
  return { txID: transactionId(raw), raw_data: {}, raw_data_hex }
}

describe('verified', () => {
  test('default: the JSON is printed from the bytes', () => {
    const { raw_data } = verified(built(), expected)
    expect(raw_data.contract?.[0]).toMatchObject({ parameter: { value }, type: expected.type })
  })

  test('args: fee limit, memo and permission', () => {
    const contract = [{ ...contractOf(value), Permission_id: 2 }]
    const transaction = built(value, { contract, data: '6869', fee_limit: 7 })
    const said = { ...expected, data: '6869', feeLimit: 7n, permissionId: 2 }
    expect(verified(transaction, said)).toMatchObject({ txID: transaction.txID })
    for (const [field, other] of [
      ['data', { data: '6868' }],
      ['fee_limit', { feeLimit: 8n }],
      ['Permission_id', { permissionId: 3 }],
    ] as const)
      expect(() => verified(transaction, { ...said, ...other })).toThrow(`(${field} differs)`)
  })

  test('behavior: absent, zero and empty are the same, and int64 is compared exactly', () => {
    const absent = built({ ...value, amount: undefined })
    expect(verified(absent, { ...expected, value: { ...value, amount: 0n } })).toBeDefined()
    const amount = 2n ** 53n + 1n
    const large = built({ ...value, amount })
    expect(verified(large, { ...expected, value: { ...value, amount } })).toBeDefined()
    const near = { ...expected, value: { ...value, amount: amount - 1n } }
    expect(() => verified(large, near)).toThrow('(amount differs)')
  })

  test.each([
    ['txID', { ...built(), txID: '00'.repeat(32) }, {}],
    ['contract', built(), { type: 'TransferAssetContract' }],
    ['contract', built(value, { contract: [contractOf(value), contractOf(value)] }), {}],
    ['to_address', built({ ...value, to_address: `41${'33'.repeat(20)}` }), {}],
  ])('error: another %s', (field, transaction, more) => {
    expect(() => verified(transaction, { ...expected, ...more })).toThrow(
      expect.objectContaining({
        code: -32603,
        message: expect.stringContaining(`(${field} differs)`),
      }),
    )
  })

  test('error: bytes that are not a transaction', () => {
    const hex = 'ff'
    const broken = { ...built(), raw_data_hex: hex, txID: transactionId(hex) }
    expect(() => verified(broken, expected)).toThrow('(raw_data_hex differs)')
  })

  test('error: no transaction at all', () => {
    expect(() => verified(undefined, expected)).toThrow('did not build a transaction')
  })
})

describe('asInvalidRequest', () => {
  test('error: a rejection has the text of the node and the code of its own JSON-RPC', async () => {
    const refused = new NodeRefusedError('Cannot transfer to yourself.', undefined)
    await expect(asInvalidRequest(Promise.reject(refused))).rejects.toMatchObject({
      code: -32600,
      message: 'Cannot transfer to yourself.',
    })
  })

  test('error: a lack of coins, with the words of Ethereum', async () => {
    const refused = new NodeRefusedError('balance is not sufficient.', undefined)
    await expect(asInvalidRequest(Promise.reject(refused))).rejects.toMatchObject({
      code: -32000,
      message: 'insufficient funds for gas * price + value: balance is not sufficient.',
    })
  })

  test('error: any other error is passed on', async () => {
    const other = new Error('no answer')
    await expect(asInvalidRequest(Promise.reject(other))).rejects.toBe(other)
  })
})
