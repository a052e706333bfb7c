import { expect, test } from 'vitest'

import { createClient } from '../../../test/support/client.ts'
import { logBlocks, startWatchedChain } from '../../../test/support/watchedChain.ts'

const start = () => startWatchedChain({ blocks: logBlocks(1) })

test('default: nothing is pending', async () => {
  const { gateway } = await start()
  const id = await gateway.rpc<string>('eth_newPendingTransactionFilter')
  expect(await gateway.rpc('eth_getFilterChanges', id)).toEqual([])
})

test('error: the solidified view has no pool', async () => {
  const { gateway } = await start()
  const solid = createClient(`${gateway.url}/solidity`)
  await expect(solid.rpc('eth_newPendingTransactionFilter')).rejects.toMatchObject({ code: -32601 })
})
