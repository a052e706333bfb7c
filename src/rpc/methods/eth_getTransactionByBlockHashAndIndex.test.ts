import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext, headBlock } from '../../../test/support/context.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { eth_getTransactionByBlockHashAndIndex } from './eth_getTransactionByBlockHashAndIndex.ts'

test('default', async () => {
  const context = await createReplayContext()
  const result = await callMethod(eth_getTransactionByBlockHashAndIndex, context, [
    headBlock(130).hash,
    '0x0',
  ])
  expect(result && fromPrepared(result)).toMatchObject({
    blockHash: headBlock(130).hash,
    transactionIndex: '0x0',
  })
})

test('behavior: null beyond the last one', async () => {
  const context = await createReplayContext()
  expect(
    await callMethod(eth_getTransactionByBlockHashAndIndex, context, [headBlock(130).hash, '0xff']),
  ).toBeNull()
})

test('error: no index', async () => {
  const context = await createReplayContext()
  expect(() =>
    callMethod(eth_getTransactionByBlockHashAndIndex, context, [headBlock(130).hash, 'x']),
  ).toThrow('invalid argument 1: expected an index as hex quantity such as 0x0, got "x"')
})
