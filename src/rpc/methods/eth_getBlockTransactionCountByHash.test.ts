import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext, headBlock } from '../../../test/support/context.ts'
import { recordedNative } from '../../../test/support/node.ts'
import { eth_getBlockTransactionCountByHash } from './eth_getBlockTransactionCountByHash.ts'

test('default', async () => {
  const { transactions } = JSON.parse(recordedNative('/wallet/getblockbynum', { num: 130 })) as {
    transactions: unknown[]
  }
  expect(
    await callMethod(eth_getBlockTransactionCountByHash, await createReplayContext(), [
      headBlock(130).hash,
    ]),
  ).toBe(`0x${transactions.length.toString(16)}`)
})

test('behavior: null for an unknown block', async () => {
  expect(
    await callMethod(eth_getBlockTransactionCountByHash, await createReplayContext(), [
      `0x${'ab'.repeat(32)}`,
    ]),
  ).toBeNull()
})
