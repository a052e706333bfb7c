import { expect, test } from 'vitest'

import { until } from '../../../test/support/until.ts'
import { logBlocks, startWatchedChain } from '../../../test/support/watchedChain.ts'

async function start() {
  const { chain, gateway } = await startWatchedChain({ blocks: logBlocks(1) })
  return { chain, gateway, socket: await gateway.socket() }
}

test('default: notifications after the answer', async () => {
  const { chain, socket } = await start()
  const id = await socket.rpc<string>('eth_subscribe', 'newHeads')
  const { hash } = chain.mine()
  await until(() => expect(socket.of(id)).toEqual([expect.objectContaining({ hash })]))
})

test('args: resumeFrom', async () => {
  const { socket } = await start()
  const id = await socket.rpc<string>('eth_subscribe', 'logs', {}, { resumeFrom: '0x0' })
  await until(() => expect(socket.of(id)).toHaveLength(1))
})

test('error: an unknown kind, and HTTP', async () => {
  const { gateway, socket } = await start()
  await expect(socket.rpc('eth_subscribe', 'heads')).rejects.toMatchObject({ code: -32602 })
  await expect(gateway.rpc('eth_subscribe', 'newHeads')).rejects.toMatchObject({ code: -32601 })
})
