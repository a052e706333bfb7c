import { expect, test } from 'vitest'

import { createReplayContext } from '../../test/context.ts'
import { callMethod } from '../jsonrpc/method.ts'
import { eth_coinbase } from './eth_coinbase.ts'

test('error: always', async () => {
  const context = await createReplayContext()
  expect(() => callMethod(eth_coinbase, context, [])).toThrow(
    'etherbase must be explicitly specified',
  )
})
