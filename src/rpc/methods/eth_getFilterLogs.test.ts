import { expect, test } from 'vitest'

import { logBlocks, startWatchedChain } from '../../../test/support/watchedChain.ts'

const start = () => startWatchedChain({ blocks: logBlocks(1) })

test('default: the whole range, every time', async () => {
  const { gateway } = await start()
  const filter = { fromBlock: '0x0', toBlock: '0x1' }
  const id = await gateway.rpc<string>('eth_newFilter', filter)
  const logs = await gateway.rpc('eth_getLogs', filter)
  expect(logs).toHaveLength(1)
  expect(await gateway.rpc('eth_getFilterLogs', id)).toEqual(logs)
  expect(await gateway.rpc('eth_getFilterLogs', id)).toEqual(logs)
})

test('error: a block filter has no logs', async () => {
  const { gateway } = await start()
  const id = await gateway.rpc<string>('eth_newBlockFilter')
  await expect(gateway.rpc('eth_getFilterLogs', id)).rejects.toMatchObject({
    code: -32000,
    message: 'filter not found',
  })
})
