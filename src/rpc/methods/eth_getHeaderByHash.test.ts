import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { eth_getHeaderByHash } from './eth_getHeaderByHash.ts'

test('error: a number', async () => {
  const context = await createReplayContext()
  expect(() => callMethod(eth_getHeaderByHash, context, ['0x5'])).toThrow(
    expect.objectContaining({ code: -32602 }) as Error,
  )
})
