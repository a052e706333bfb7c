import { expect, test } from 'vitest'

import { logBlocks, startWatchedChain } from '../../../test/support/watchedChain.ts'

const start = () => startWatchedChain({ blocks: logBlocks(1) })

test('default: a filter from now on', async () => {
  const { gateway } = await start()
  const id = await gateway.rpc<string>('eth_newFilter', { address: `0x${'33'.repeat(20)}` })
  expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/)
  expect(await gateway.rpc('eth_getFilterChanges', id)).toEqual([])
})

test('args: fromBlock in the past is for eth_getFilterLogs alone', async () => {
  const { gateway } = await start()
  const id = await gateway.rpc<string>('eth_newFilter', { fromBlock: '0x0' })
  expect(await gateway.rpc('eth_getFilterChanges', id)).toEqual([])
  expect(await gateway.rpc('eth_getFilterLogs', id)).toHaveLength(1)
})

test('error: blockHash, a range that ends before it begins, no object', async () => {
  const { chain, gateway } = await start()
  for (const filter of [
    { blockHash: chain.head().hash },
    { fromBlock: '0x2', toBlock: '0x1' },
    'latest',
  ])
    await expect(gateway.rpc('eth_newFilter', filter)).rejects.toMatchObject({ code: -32602 })
})
