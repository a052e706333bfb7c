import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { eth_hashrate } from './eth_hashrate.ts'
import { eth_maxPriorityFeePerGas } from './eth_maxPriorityFeePerGas.ts'
import { eth_mining } from './eth_mining.ts'

test('default: a node shows neither mining nor tips', async () => {
  const context = await createReplayContext()
  expect(await callMethod(eth_hashrate, context, [])).toBe('0x0')
  expect(await callMethod(eth_maxPriorityFeePerGas, context, [])).toBe('0x0')
  expect(await callMethod(eth_mining, context, [])).toBe(false)
})
