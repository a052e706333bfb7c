import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { eth_protocolVersion } from './eth_protocolVersion.ts'

test('default', async () => {
  expect(await callMethod(eth_protocolVersion, await createReplayContext(), [])).toBe('0x20')
})
