import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN } from '../../../test/support/recordedChain.ts'
import {
  eth_getUncleByBlockHashAndIndex,
  eth_getUncleByBlockNumberAndIndex,
  eth_getUncleCountByBlockHash,
  eth_getUncleCountByBlockNumber,
} from './uncles.ts'

const unknown = `0x${'ab'.repeat(32)}`

test('default', async () => {
  const context = await createReplayContext()
  expect(await callMethod(eth_getUncleCountByBlockHash, context, [CHAIN.headHash])).toBe('0x0')
  expect(await callMethod(eth_getUncleCountByBlockNumber, context, ['latest'])).toBe('0x0')
  expect(callMethod(eth_getUncleByBlockHashAndIndex, context, [CHAIN.headHash, '0x0'])).toBeNull()
  expect(callMethod(eth_getUncleByBlockNumberAndIndex, context, ['0x1', '0x0'])).toBeNull()
})

test('behavior: null for an unknown block', async () => {
  const context = await createReplayContext()
  expect(await callMethod(eth_getUncleCountByBlockHash, context, [unknown])).toBeNull()
  expect(await callMethod(eth_getUncleCountByBlockNumber, context, ['0xffff'])).toBeNull()
})
