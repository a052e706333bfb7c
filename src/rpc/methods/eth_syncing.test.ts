import { expect, onTestFinished, test, vi } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext, headBlock } from '../../../test/support/context.ts'
import { eth_syncing } from './eth_syncing.ts'

/** Sets the clock this long after the head’s time. */
function afterHead(milliseconds: number) {
  vi.useFakeTimers({ now: headBlock(223).timestamp + milliseconds, toFake: ['Date'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

const node = (peerList: object[]) => () => ({
  text: JSON.stringify({ beginSyncNum: 200, peerList }),
})

test('default', async () => {
  afterHead(5_000)
  const context = await createReplayContext()
  expect(await callMethod(eth_syncing, context, [])).toBe(false)
  expect(context.node.requests.total()).toBe(0)
})

test('behavior: a chain without new blocks does not count as syncing', async () => {
  afterHead(3_600_000)
  const alone = await createReplayContext({ intercept: node([]) })
  expect(await callMethod(eth_syncing, alone, [])).toBe(false)
  const idle = await createReplayContext({ intercept: node([{ needSyncFromPeer: false }]) })
  expect(await callMethod(eth_syncing, idle, [])).toBe(false)
})

test('behavior: a node that catches up', async () => {
  afterHead(3_600_000)
  const context = await createReplayContext({ intercept: node([{}, { needSyncFromPeer: true }]) })
  expect(await callMethod(eth_syncing, context, [])).toEqual({
    currentBlock: '0xdf',
    highestBlock: '0x58f',
    startingBlock: '0xc8',
  })
})
