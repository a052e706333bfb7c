import { expect, test } from 'vitest'

import { createReplayContext } from '../../../test/support/context.ts'
import { callMethod } from '../method.ts'
import { eth_coinbase } from './eth_coinbase.ts'

test('error: always', async () => {
  const context = await createReplayContext()
  expect(() => callMethod(eth_coinbase, context, [])).toThrow(
    'etherbase must be explicitly specified',
  )
})
