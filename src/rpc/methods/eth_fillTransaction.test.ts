import { type Hex, parseTransaction } from 'viem'
import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { keys } from '../../../test/support/recordedChain.ts'
import type { Config } from '../../config/config.ts'
import type { AnyMethod } from '../method.ts'
import { weiMethods } from '../wei/methods.ts'
import { eth_fillTransaction } from './eth_fillTransaction.ts'

/** A node's answer to a call of an account without code. */
const NO_CONTRACT = `{"result":{"code":"CONTRACT_VALIDATE_ERROR","message":"${Buffer.from('Smart contract is not exist.').toString('hex')}"}}`

const open = (keys: string[] = [], config: Partial<Config> = {}) =>
  createReplayContext({
    config,
    keys,
    intercept: ({ path }) =>
      path === '/wallet/estimateenergy' ? { text: NO_CONTRACT } : undefined,
  })

const request = { from: keys.bob.eth, to: keys.dave.eth, value: '0x5' }

test('default: gas, price, nonce and chain are filled in', async () => {
  const { raw, tx } = await callMethod(eth_fillTransaction, await open(), [request])
  const { hash: _, ...fields } = tx
  expect(fields).toMatchInlineSnapshot(`
    {
      "chainId": "0xb24e27cc",
      "from": "0x42194febc0f076d4151747569ae87374b41f4a09",
      "gas": "0x5208",
      "gasPrice": null,
      "input": "0x",
      "maxFeePerGas": "0x1a4",
      "maxPriorityFeePerGas": "0x0",
      "nonce": "0x0",
      "r": "0x0",
      "s": "0x0",
      "to": "0x460236532f1daf3b581e54a1bd8ebe1bda96f8c8",
      "type": "0x2",
      "v": "0x0",
      "value": "0x5",
    }
  `)
  expect(parseTransaction(raw)).toMatchObject({
    gas: 21_000n,
    maxFeePerGas: 420n,
    type: 'eip1559',
    value: 5n,
  })
})

test('args: with the legacy fee signal', async () => {
  const context = await open([], { feeSignal: 'legacy' })
  const { raw, tx } = await callMethod(eth_fillTransaction, context, [request])
  expect(tx).toMatchObject({ gasPrice: '0xd2', maxFeePerGas: null, type: '0x0' })
  expect(parseTransaction(raw)).toMatchObject({ gasPrice: 210n, type: 'legacy' })
})

test('args: given fields are kept', async () => {
  const given = { gas: '0x1', gasPrice: '0x2', nonce: '0x3' }
  const context = await open()
  const { tx } = await callMethod(eth_fillTransaction, context, [{ ...request, ...given }])
  expect(tx).toMatchObject(given)
})

test('behavior: the bytes have 18 decimals when the client sees 18 decimals', async () => {
  const context = await open()
  const { eth_fillTransaction: method } = weiMethods({ eth_fillTransaction })
  const { raw, tx } = (await callMethod(method as AnyMethod, context, [
    { ...request, value: '0x48c27395000' },
  ])) as { raw: Hex; tx: object }
  expect(tx).toMatchObject({ maxFeePerGas: '0x17dfcdece4000', value: '0x48c27395000' })
  expect(parseTransaction(raw)).toMatchObject({
    maxFeePerGas: 420n * 10n ** 12n,
    value: 5n * 10n ** 12n,
  })
})

test('error: another chain', async () => {
  const context = await open()
  await expect(
    callMethod(eth_fillTransaction, context, [{ ...request, chainId: '0x1' }]),
  ).rejects.toMatchObject({ code: -32000 })
})
