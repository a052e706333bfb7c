import { expect, test } from 'vitest'

import { logBlocks, startWatchedChain } from '../../../test/support/watchedChain.ts'

async function start() {
  const { chain, gateway } = await startWatchedChain({ blocks: logBlocks(1) })
  return { chain, gateway, socket: await gateway.socket() }
}

test('default: true once, false afterwards', async () => {
  const { socket } = await start()
  const id = await socket.rpc<string>('eth_subscribe', 'newHeads')
  expect(await socket.rpc('eth_unsubscribe', id)).toBe(true)
  expect(await socket.rpc('eth_unsubscribe', id)).toBe(false)
})

test('error: HTTP', async () => {
  const { gateway } = await start()
  await expect(gateway.rpc('eth_unsubscribe', '0x1')).rejects.toMatchObject({ code: -32601 })
})
