import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { labels } from '../../../test/support/recordedChain.ts'
import { fromPrepared, isPrepared } from '../../lib/prepared.ts'
import { eth_getTransactionReceipt } from './eth_getTransactionReceipt.ts'

const unknown = `0x${'ab'.repeat(32)}`

test('default', async () => {
  const { tx } = labels.contracts.BadCtor
  const result = await callMethod(eth_getTransactionReceipt, await createReplayContext(), [tx])
  expect(isPrepared(result) ? fromPrepared(result) : result).toMatchObject({
    contractAddress: `0x${labels.contracts.BadCtor.address.slice(2)}`,
    logs: [],
    status: '0x0',
    to: null,
    transactionHash: `0x${tx}`,
  })
})

test('behavior: null for an unknown hash', async () => {
  expect(
    await callMethod(eth_getTransactionReceipt, await createReplayContext(), [unknown]),
  ).toBeNull()
})

test('error: an unreachable node is an error, not an unknown hash', async () => {
  const context = await createReplayContext({ intercept: () => ({ status: 502, text: '' }) })
  await expect(callMethod(eth_getTransactionReceipt, context, [unknown])).rejects.toMatchObject({
    code: -32603,
  })
})
