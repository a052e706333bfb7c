import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN } from '../../../test/support/recordedChain.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { eth_getBlockByHash } from './eth_getBlockByHash.ts'

test('default', async () => {
  const result = await callMethod(eth_getBlockByHash, await createReplayContext(), [CHAIN.headHash])
  expect(result && fromPrepared(result).number).toBe('0xdf')
})

test('behavior: null for a hash that no block has', async () => {
  const context = await createReplayContext()
  for (const hash of [`0x${'ab'.repeat(32)}`, CHAIN.headHash.replace(/.$/, '0')])
    expect(await callMethod(eth_getBlockByHash, context, [hash, true])).toBeNull()
})

test('error: no hash', async () => {
  const context = await createReplayContext()
  expect(() => callMethod(eth_getBlockByHash, context, ['latest'])).toThrow(
    'invalid argument 0: expected a 32-byte hex hash, got "latest"',
  )
})
