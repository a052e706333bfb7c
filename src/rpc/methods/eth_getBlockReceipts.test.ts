import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN } from '../../../test/support/recordedChain.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { eth_getBlockReceipts } from './eth_getBlockReceipts.ts'

test.each([['0x82'], ['130'], [130], [{ blockNumber: '0x82' }]])('args: %j', async (ref) => {
  const result = await callMethod(eth_getBlockReceipts, await createReplayContext(), [ref])
  expect(result && fromPrepared(result)[0]).toMatchObject({ blockNumber: '0x82', status: '0x1' })
})

test('args: hash, and an empty block', async () => {
  const context = await createReplayContext()
  for (const ref of [CHAIN.headHash, { blockHash: CHAIN.headHash }, 'latest']) {
    const result = await callMethod(eth_getBlockReceipts, context, [ref])
    expect(result && fromPrepared(result)).toEqual([])
  }
})

test('behavior: null for an unknown block', async () => {
  const context = await createReplayContext()
  expect(await callMethod(eth_getBlockReceipts, context, ['0xffff'])).toBeNull()
  expect(await callMethod(eth_getBlockReceipts, context, [`0x${'ab'.repeat(32)}`])).toBeNull()
})
