import { expect, test } from 'vitest'

import { createReplayContext } from '../../test/context.ts'
import { CHAIN } from '../../test/recordedChain.ts'
import { callMethod } from '../jsonrpc/method.ts'
import { eth_getWork } from './eth_getWork.ts'

test('default', async () => {
  const work = await callMethod(eth_getWork, await createReplayContext(), [])
  expect(work).toEqual([CHAIN.headHash, null, null])
})
