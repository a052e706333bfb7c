import { expect, test } from 'vitest'

import { until } from '../../../test/support/until.ts'
import { logBlocks, startWatchedChain } from '../../../test/support/watchedChain.ts'

const start = () => startWatchedChain({ blocks: logBlocks(1) })

test('default: the logs since the last poll', async () => {
  const { chain, gateway } = await start()
  const id = await gateway.rpc<string>('eth_newBlockFilter')
  const { hash } = chain.mine()
  const found: string[] = []
  await until(async () => {
    found.push(...(await gateway.rpc<string[]>('eth_getFilterChanges', id)))
    expect(found).toEqual([hash])
  })
  expect(await gateway.rpc('eth_getFilterChanges', id)).toEqual([])
})

test('error: not an id, an unknown id', async () => {
  const { gateway } = await start()
  await expect(gateway.rpc('eth_getFilterChanges', 1)).rejects.toMatchObject({ code: -32602 })
  await expect(gateway.rpc('eth_getFilterChanges', '0x1')).rejects.toMatchObject({ code: -32000 })
})
