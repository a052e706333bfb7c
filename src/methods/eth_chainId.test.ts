import { expect, test } from 'vitest'

import { createReplayContext } from '../../test/context.ts'
import { callMethod } from '../jsonrpc/method.ts'
import { eth_chainId } from './eth_chainId.ts'

test('default', async () => {
  expect(await callMethod(eth_chainId, await createReplayContext(), [])).toBe('0xb24e27cc')
})
