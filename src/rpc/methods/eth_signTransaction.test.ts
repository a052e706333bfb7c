import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { keys } from '../../../test/support/recordedChain.ts'
import { recoverSigners, signHash } from '../../native/protobuf/signature.ts'
import { decodeTransaction } from '../../native/protobuf/transaction.ts'
import type { FilledAnswer } from '../execution/execution.ts'
import { eth_signTransaction } from './eth_signTransaction.ts'

/** A node's answer to a call of an account without code. */
const NO_CONTRACT = `{"result":{"code":"CONTRACT_VALIDATE_ERROR","message":"${Buffer.from('Smart contract is not exist.').toString('hex')}"}}`

const open = (keys: string[] = []) =>
  createReplayContext({
    keys,
    intercept: ({ path }) =>
      path === '/wallet/estimateenergy' ? { text: NO_CONTRACT } : undefined,
  })

const request = { from: keys.bob.eth, to: keys.dave.eth, value: '0x5' }

test('default: native bytes, nothing sent', async () => {
  const context = await open([keys.bob.pk])
  const answer = await callMethod(eth_signTransaction, context, [request])
  const { raw, tx } = answer as FilledAnswer
  const transaction = decodeTransaction(raw)
  expect(recoverSigners(transaction)).toEqual([keys.bob.hex])
  // Deterministic: WebAssembly gives the same as JavaScript.
  expect(transaction.signature).toEqual([signHash(transaction.txID, keys.bob.pk)])
  expect(tx.hash).toBe(`0x${transaction.txID}`)
  expect(context.node.requests.paths()).not.toContain('/wallet/broadcasthex')
})

test('behavior: the same request gets the same bytes; another one with its nonce is refused', async () => {
  const context = await open([keys.bob.pk])
  const sign = (more: object) => callMethod(eth_signTransaction, context, [{ ...request, ...more }])
  const first = await sign({ nonce: '0x0', gasPrice: '0x1a4' })
  expect(await sign({ nonce: '0x0', gasPrice: '0x1a4' })).toEqual(first)
  await expect(sign({ nonce: '0x0', gasPrice: '0x1a5' })).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining('replacement transaction underpriced'),
  })
  await expect(sign({ nonce: '0x1', gasPrice: '0x1a5' })).resolves.toBeDefined()
})

test('error: no key', async () => {
  const context = await open()
  await expect(async () => callMethod(eth_signTransaction, context, [request])).rejects.toThrow(
    'eth_signTransaction',
  )
})
