import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { net_peerCount } from './net_peerCount.ts'

test('default', async () => {
  const intercept = () => ({ text: JSON.stringify({ peerList: [{}, {}] }) })
  expect(await callMethod(net_peerCount, await createReplayContext({ intercept }), [])).toBe('0x2')
})

test('behavior: a node without peers', async () => {
  expect(await callMethod(net_peerCount, await createReplayContext(), [])).toBe('0x0')
})
