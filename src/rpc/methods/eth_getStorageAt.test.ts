import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { labels } from '../../../test/support/recordedChain.ts'
import { eth_getStorageAt } from './eth_getStorageAt.ts'

const KITCHEN = `0x${labels.contracts.Kitchen.address.slice(2)}`
const TWO = `0x${'2'.padStart(64, '0')}`

test.each(['0x0', '0x', '0', 0, `0x${'0'.repeat(64)}`, '0'.repeat(64)])(
  'args: slot %s',
  async (slot) => {
    const context = await createReplayContext({ nodeRpc: true })
    expect(await callMethod(eth_getStorageAt, context, [KITCHEN, slot, 'latest'])).toBe(TWO)
  },
)

test('error: not configured', async () => {
  const context = await createReplayContext()
  await expect(callMethod(eth_getStorageAt, context, [KITCHEN, '0x0'])).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining('--upstream-rpc'),
  })
})

test('error: no slot', async () => {
  const context = await createReplayContext()
  expect(() => callMethod(eth_getStorageAt, context, [KITCHEN, `0x1${'0'.repeat(64)}`])).toThrow(
    'invalid argument 1: expected a hex quantity',
  )
})
