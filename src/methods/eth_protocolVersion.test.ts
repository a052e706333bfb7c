import { expect, test } from 'vitest'

import { createReplayContext } from '../../test/context.ts'
import { callMethod } from '../jsonrpc/method.ts'
import { eth_protocolVersion } from './eth_protocolVersion.ts'

test('default', async () => {
  expect(await callMethod(eth_protocolVersion, await createReplayContext(), [])).toBe('0x20')
})
