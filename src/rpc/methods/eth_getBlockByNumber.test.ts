import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN } from '../../../test/support/recordedChain.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { eth_getBlockByNumber } from './eth_getBlockByNumber.ts'

test('default', async () => {
  const result = await callMethod(eth_getBlockByNumber, await createReplayContext(), ['0xdf'])
  expect(result && fromPrepared(result)).toMatchObject({
    hash: CHAIN.headHash,
    number: '0xdf',
    transactions: [],
  })
})

test.each([
  ['latest', '0xdf'],
  ['pending', '0xdf'],
  ['safe', '0xda'],
  ['finalized', '0xda'],
  ['earliest', '0x0'],
])('args: %s', async (tag, number) => {
  const context = await createReplayContext({ solid: 218 })
  const result = await callMethod(eth_getBlockByNumber, context, [tag, false])
  expect(result && fromPrepared(result).number).toBe(number)
})

test('args: whole transactions', async () => {
  const result = await callMethod(eth_getBlockByNumber, await createReplayContext(), ['0x82', true])
  expect(result && fromPrepared(result).transactions[0]).toMatchObject({
    blockNumber: '0x82',
    transactionIndex: '0x0',
  })
})

test('behavior: null above the head', async () => {
  const context = await createReplayContext({ solid: 218, view: 'solid' })
  expect(await callMethod(eth_getBlockByNumber, context, ['0xdf'])).toBeNull()
  expect(await callMethod(eth_getBlockByNumber, context, ['0x1fffffffffffff'])).toBeNull()
})

test('error: no block is named', async () => {
  const context = await createReplayContext()
  expect(() => callMethod(eth_getBlockByNumber, context, [])).toThrowErrorMatchingInlineSnapshot(
    `[InvalidParamsError: invalid argument 0: expected a block number, a block hash or one of latest, earliest, pending, safe, finalized, got nothing]`,
  )
  expect(() => callMethod(eth_getBlockByNumber, context, ['0x1', 'yes'])).toThrow(
    'invalid argument 1: expected a boolean, got "yes"',
  )
})

test('error: the node is unreachable', async () => {
  const context = await createReplayContext({ intercept: () => ({ status: 502, text: '' }) })
  await expect(callMethod(eth_getBlockByNumber, context, ['0x1'])).rejects.toMatchObject({
    code: -32603,
  })
})
