import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN } from '../../../test/support/recordedChain.ts'
import { eth_getWork } from './eth_getWork.ts'

test('default', async () => {
  const work = await callMethod(eth_getWork, await createReplayContext(), [])
  expect(work).toEqual([CHAIN.headHash, null, null])
})
