import { expect, test } from 'vitest'

import { logBlocks, startWatchedChain } from '../../../test/support/watchedChain.ts'

const start = () => startWatchedChain({ blocks: logBlocks(1) })

test('default: an id of 16 random bytes, another each time', async () => {
  const { gateway } = await start()
  const ids = [await gateway.rpc('eth_newBlockFilter'), await gateway.rpc('eth_newBlockFilter')]
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/)
})
