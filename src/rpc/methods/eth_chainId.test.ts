import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { eth_chainId } from './eth_chainId.ts'

test('default', async () => {
  expect(await callMethod(eth_chainId, await createReplayContext(), [])).toBe('0xb24e27cc')
})
