import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext, headBlock } from '../../../test/support/context.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { eth_getTransactionByBlockNumberAndIndex } from './eth_getTransactionByBlockNumberAndIndex.ts'

test('default', async () => {
  const context = await createReplayContext()
  const result = await callMethod(eth_getTransactionByBlockNumberAndIndex, context, ['0x82', '0x0'])
  expect(result && fromPrepared(result)).toMatchObject({
    blockHash: headBlock(130).hash,
    transactionIndex: '0x0',
  })
})

test('behavior: null beyond the last one', async () => {
  const context = await createReplayContext()
  expect(
    await callMethod(eth_getTransactionByBlockNumberAndIndex, context, ['0x82', '0xff']),
  ).toBeNull()
})

test('error: no index', async () => {
  const context = await createReplayContext()
  expect(() => callMethod(eth_getTransactionByBlockNumberAndIndex, context, ['0x82', 'x'])).toThrow(
    'invalid argument 1: expected an index as hex quantity such as 0x0, got "x"',
  )
})
