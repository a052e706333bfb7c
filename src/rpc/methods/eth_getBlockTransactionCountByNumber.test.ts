import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { recordedNative } from '../../../test/support/node.ts'
import { eth_getBlockTransactionCountByNumber } from './eth_getBlockTransactionCountByNumber.ts'

test('default', async () => {
  const { transactions } = JSON.parse(recordedNative('/wallet/getblockbynum', { num: 130 })) as {
    transactions: unknown[]
  }
  expect(
    await callMethod(eth_getBlockTransactionCountByNumber, await createReplayContext(), ['0x82']),
  ).toBe(`0x${transactions.length.toString(16)}`)
})

test('behavior: null for an unknown block', async () => {
  expect(
    await callMethod(eth_getBlockTransactionCountByNumber, await createReplayContext(), ['0xffff']),
  ).toBeNull()
})
