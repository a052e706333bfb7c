import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { eth_coinbase } from './eth_coinbase.ts'

test('error: always', async () => {
  const context = await createReplayContext()
  await expect(callMethod(eth_coinbase, context, [])).rejects.toThrow(
    'etherbase must be explicitly specified',
  )
})
