import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { eth_blockNumber } from './eth_blockNumber.ts'

test('default', async () => {
  expect(await callMethod(eth_blockNumber, await createReplayContext(), [])).toBe('0xdf')
})

test('behavior: the solid view ends at the solidified block', async () => {
  const context = await createReplayContext({ solid: 218, view: 'solid' })
  expect(await callMethod(eth_blockNumber, context, [])).toBe('0xda')
})
