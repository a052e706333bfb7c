import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { keys } from '../../../test/support/recordedChain.ts'
import { recoverSigners } from '../../native/protobuf/signature.ts'
import { decodeTransaction } from '../../native/protobuf/transaction.ts'
import { eth_sendTransaction } from './eth_sendTransaction.ts'

const TOKEN = '0x13eb96915a70a53b2ab0fc2f2df09f78137abb8c'

async function createContext(managed = [keys.bob.pk]) {
  const sent: string[] = []
  const context = await createReplayContext({
    keys: managed,
    intercept({ body, path }) {
      if (path !== '/wallet/broadcasthex') return undefined
      sent.push((JSON.parse(body) as { transaction: string }).transaction)
      return { text: '{"result":true,"code":"SUCCESS","message":"","txid":""}' }
    },
  })
  return { context, sent }
}

test('default: two identical requests are two transactions', async () => {
  const { context, sent } = await createContext()
  const request = { from: keys.bob.eth, to: keys.dave.eth, value: '0x5' }
  const hashes = await Promise.all(
    [1, 2].map(async () => callMethod(eth_sendTransaction, context, [request])),
  )
  const transactions = sent.map((hex) => decodeTransaction(hex))
  expect(new Set(hashes)).toEqual(new Set(transactions.map(({ txID }) => `0x${txID}`)))
  expect(hashes[0]).not.toBe(hashes[1])
  for (const transaction of transactions)
    expect(recoverSigners(transaction)).toEqual([keys.bob.hex])
})

test('args: gas and price make the fee limit; chain and nonce are checked', async () => {
  const { context, sent } = await createContext()
  const request = { from: keys.bob.eth, to: TOKEN, input: '0x18160ddd', gas: '0x186a0' }
  const send = (more: object) => callMethod(eth_sendTransaction, context, [{ ...request, ...more }])
  await send({ maxFeePerGas: '0x59682f00', chainId: '0xb24e27cc', nonce: '0x0' })
  // 100,000 gas at 210 sun, doubled because a maintenance is near. The higher maximum has no effect.
  expect(decodeTransaction(sent[0] ?? '').raw_data.fee_limit).toBe(42_000_000)
  await expect(send({ chainId: '0x1' })).rejects.toMatchObject({ code: -32000 })
  await expect(send({ nonce: '0x0' })).rejects.toThrow(/^replacement transaction underpriced/)
})

test('error: no key, and keys of other accounts', async () => {
  const request = { from: keys.alice.eth, to: keys.dave.eth, value: '0x5' }
  const none = await createContext([])
  await expect(callMethod(eth_sendTransaction, none.context, [request])).rejects.toMatchObject({
    code: -32601,
  })
  const others = await createContext()
  await expect(callMethod(eth_sendTransaction, others.context, [request])).rejects.toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^unknown account/),
  })
})

test.each([
  ['to oneself', 'Contract validate error : Cannot transfer TRX to yourself.'],
  ['of no coins', 'Contract validate error : Amount must be greater than 0.'],
])('error: the chain has no transfer %s; its nonce is free again', async (_, text) => {
  const message = Buffer.from(text).toString('hex')
  const context = await createReplayContext({
    keys: [keys.bob.pk],
    intercept: ({ path }) =>
      path === '/wallet/broadcasthex'
        ? { text: JSON.stringify({ result: false, code: 'CONTRACT_VALIDATE_ERROR', message }) }
        : undefined,
  })
  const request = { from: keys.bob.eth, to: keys.dave.eth, value: '0x5', nonce: '0x0' }
  const send = async () => callMethod(eth_sendTransaction, context, [request])
  await expect(send).rejects.toMatchObject({ code: -32000, message: `refused: ${text}` })
  await expect(send).rejects.toMatchObject({ code: -32000, message: `refused: ${text}` })
})
