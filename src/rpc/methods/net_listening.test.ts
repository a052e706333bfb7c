import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { net_listening } from './net_listening.ts'

test.each([
  [0, false],
  [3, true],
])('args: %i active peers', async (activeConnectCount, expected) => {
  const intercept = () => ({ text: JSON.stringify({ activeConnectCount }) })
  expect(await callMethod(net_listening, await createReplayContext({ intercept }), [])).toBe(
    expected,
  )
})
