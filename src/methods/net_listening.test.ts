import { expect, test } from 'vitest'

import { createReplayContext } from '../../test/context.ts'
import { callMethod } from '../jsonrpc/method.ts'
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
