import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN } from '../../../test/support/recordedChain.ts'
import { fromPrepared, type Prepared } from '../../lib/prepared.ts'
import { erigon_getHeaderByNumber } from './erigon_getHeaderByNumber.ts'
import { eth_getBlockByNumber } from './eth_getBlockByNumber.ts'
import { eth_getHeaderByHash } from './eth_getHeaderByHash.ts'
import { eth_getHeaderByNumber } from './eth_getHeaderByNumber.ts'

test.each(['0x5', 'latest', 'earliest', 'finalized'])(
  'default: the members of the block %s without its content',
  async (ref) => {
    const context = await createReplayContext()
    const block = fromPrepared(
      (await callMethod(eth_getBlockByNumber, context, [ref, false])) as Prepared<
        Record<string, unknown>
      >,
    )
    const { size: _, transactions: __, uncles: ___, ...header } = block
    expect(await callMethod(eth_getHeaderByNumber, context, [ref])).toEqual(header)
    expect(await callMethod(eth_getHeaderByHash, context, [block['hash']])).toEqual(header)
    expect(await callMethod(erigon_getHeaderByNumber, context, [ref])).toEqual(header)
  },
)

test('behavior: null for a block that does not exist', async () => {
  const context = await createReplayContext()
  expect(await callMethod(eth_getHeaderByNumber, context, [CHAIN.head + 1])).toBeNull()
  expect(await callMethod(eth_getHeaderByHash, context, [`0x${'ab'.repeat(32)}`])).toBeNull()
})
