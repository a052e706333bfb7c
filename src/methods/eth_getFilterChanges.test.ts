import { expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../test/chain.ts'
import { until } from '../../test/until.ts'
import { startWatchedGateway } from '../../test/watcher.ts'

async function start() {
  const chain = createScriptedChain()
  chain.mine({ logs: [[{ address: '33'.repeat(20), topics: [] }]] })
  const gateway = await startWatchedGateway(chain)
  onTestFinished(() => gateway.stop())
  return { chain, gateway }
}

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
