import { expect, test } from 'vitest'

import { logBlocks, startWatchedChain } from '../../../test/support/watchedChain.ts'

const start = () => startWatchedChain({ blocks: logBlocks(1) })

test('default: true once, false afterwards and for what never was', async () => {
  const { gateway } = await start()
  const id = await gateway.rpc<string>('eth_newBlockFilter')
  expect(await gateway.rpc('eth_uninstallFilter', id)).toBe(true)
  expect(await gateway.rpc('eth_uninstallFilter', id)).toBe(false)
  expect(await gateway.rpc('eth_uninstallFilter', '0xdeadbeef')).toBe(false)
  await expect(gateway.rpc('eth_uninstallFilter')).rejects.toMatchObject({ code: -32602 })
})
