import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import * as constants from './constant.ts'

test('default', async () => {
  const context = await createReplayContext()
  const answers = Object.entries(constants).map(([name, method]) => [
    name,
    callMethod<[], unknown>(method, context, []),
  ])
  expect(Object.fromEntries(answers)).toMatchInlineSnapshot(`
    {
      "eth_hashrate": "0x0",
      "eth_maxPriorityFeePerGas": "0x0",
      "eth_mining": false,
    }
  `)
})
