import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { eth_gasPrice } from './eth_gasPrice.ts'

test('default', async () => {
  expect(await callMethod(eth_gasPrice, await createReplayContext(), [])).toBe('0xd2')
})

test('error: the node is unreachable', async () => {
  const context = await createReplayContext({ intercept: () => ({ status: 502, text: '' }) })
  await expect(callMethod(eth_gasPrice, context, [])).rejects.toMatchObject({ code: -32603 })
})
