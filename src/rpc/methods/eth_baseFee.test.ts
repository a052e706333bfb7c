import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { eth_baseFee } from './eth_baseFee.ts'

test('default: the energy price of the newest block', async () => {
  expect(await callMethod(eth_baseFee, await createReplayContext(), [])).toBe('0xd2')
})
