import { describe, expect, test } from 'vitest'

import { type BuilderBody, createBuilderContext } from '../../../../test/support/builderNode.ts'
import { callMethod } from '../../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../../test/support/context.ts'
import { keys, labels } from '../../../../test/support/recordedChain.ts'
import { toRpcAddress } from '../../../lib/address.ts'
import { fromPrepared } from '../../../lib/prepared.ts'
import type { Transaction } from '../../../native/wire/types.ts'
import { methodsOf } from '../view.ts'
import { buildTransaction } from './index.ts'

const token = toRpcAddress(labels.contracts.Token.address)
const { bob, dave } = keys

async function built(
  request: object,
  spoil?: (value: BuilderBody) => BuilderBody,
): Promise<Transaction> {
  const params = [{ from: bob.eth, ...request }]
  const answer = await callMethod(buildTransaction, await createBuilderContext(spoil), params)
  return fromPrepared(answer).transaction
}

const contractOf = ({ raw_data }: Transaction) => raw_data.contract?.[0]

describe('default', () => {
  test('default: value to an account is a transfer', async () => {
    const transaction = await built({ to: dave.eth, value: '0x1f4', extraData: '0x6869' })
    expect(contractOf(transaction)).toMatchObject({
      type: 'TransferContract',
      parameter: {
        value: { amount: 500, owner_address: bob.hex, to_address: dave.hex },
      },
    })
    expect(transaction).toMatchObject({ visible: false, raw_data: { data: '6869' } })
  })

  test('default: a token number and amount are a token transfer, unless there is a value', async () => {
    const tokens = { to: dave.eth, tokenId: 1_000_016, tokenValue: 20 }
    expect(contractOf(await built({ ...tokens, value: '0x0' }))).toMatchObject({
      type: 'TransferAssetContract',
      parameter: { value: { amount: 20, asset_name: '31303030303136' } },
    })
    expect(contractOf(await built({ ...tokens, value: '0x100' }))?.type).toBe('TransferContract')
  })

  test('default: to a contract is a call, with the fee limit of its gas', async () => {
    const transaction = await built({ to: token, data: '0x18160ddd', gas: '0x186a0', value: '0xa' })
    expect(contractOf(transaction)).toMatchObject({
      type: 'TriggerSmartContract',
      parameter: { value: { call_value: 10, data: '18160ddd' } },
    })
    expect(transaction.raw_data.fee_limit).toBe(21_000_000)
    expect(transaction).not.toHaveProperty('visible')
  })

  test('default: code without a target is a creation', async () => {
    const transaction = await built({
      abi: '[]',
      consumeUserResourcePercent: 100,
      data: '0x6001',
      gas: '0x186a0',
      name: 'Name',
      originEnergyLimit: 10_000_000,
      permissionId: 2,
      value: '0x1f4',
    })
    expect(contractOf(transaction)).toMatchObject({
      Permission_id: 2,
      type: 'CreateSmartContract',
      parameter: {
        value: {
          new_contract: {
            bytecode: '6001',
            call_value: 500,
            consume_user_resource_percent: 100,
            name: 'Name',
            origin_address: bob.hex,
            origin_energy_limit: 10_000_000,
          },
        },
      },
    })
    expect(transaction.visible).toBe(false)
  })
})

test('args: visible prints base58 addresses and takes the memo as text', async () => {
  const transaction = await built({ to: dave.base58, value: '0x1', visible: true, extraData: 'hi' })
  expect(contractOf(transaction)?.parameter?.value).toMatchObject({
    owner_address: bob.base58,
    to_address: dave.base58,
  })
  expect(transaction).toMatchObject({ visible: true, raw_data: { data: '6869' } })
})

test('behavior: amounts beyond 2^53 keep every digit', async () => {
  const answer = await callMethod(buildTransaction, await createBuilderContext(), [
    { from: bob.eth, to: dave.eth, value: '0x20000000000001' },
  ])
  expect(answer.bytes.toString()).toContain('"amount":9007199254740993')
})

test.each([
  ['owner_address', { owner_address: keys.carol.hex }],
  ['to_address', { to_address: keys.carol.hex }],
  ['amount', { amount: 2 }],
] as const)('error: a node that builds another %s', async (field, change) => {
  await expect(
    built({ to: dave.eth, value: '0x1' }, (value) => ({ ...value, ...change })),
  ).rejects.toMatchObject({ code: -32603, message: expect.stringContaining(`(${field} differs)`) })
})

test.each([
  ['neither value nor tokens nor code', { to: dave.eth }, -32600],
  ['nothing', {}, -32600],
  ['an amount that is none', { to: dave.eth, value: 'x' }, -32602],
  ['an amount beyond int64', { to: dave.eth, value: '0x8000000000000000' }, -32602],
  ['an interface that is none', { abi: '{', data: '0x60' }, -32602],
])('error: %s', async (_, request, code) => {
  await expect(async () => built(request)).rejects.toMatchObject({ code })
})

test('error: a rejection has the text of the node', async () => {
  const text = 'Cannot transfer TRX to yourself.'
  const context = await createReplayContext({
    intercept: ({ path }) =>
      path === '/wallet/createtransaction'
        ? {
            text: JSON.stringify({
              Error: `class org.tron.core.exception.ContractValidateException : ${text}`,
            }),
          }
        : undefined,
  })
  await expect(
    callMethod(buildTransaction, context, [{ from: bob.eth, to: dave.eth, value: '0x1' }]),
  ).rejects.toMatchObject({ code: -32600, message: text })
})

test('error: not available on the solidified view', async () => {
  const method = methodsOf('solid')['buildTransaction']
  expect(method && (() => callMethod(method, {} as never, [{}]))).toThrow(
    expect.objectContaining({ code: -32601 }),
  )
})
