import { once } from 'node:events'

import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

import { post } from '../support/client.ts'
import { startDevGateway } from '../support/devGateway.ts'
import { until } from '../support/until.ts'

const SOCKETS = 20
const EACH = 256

/** Sockets that are open. */
async function openSockets(url: string, count: number) {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = new WebSocket(url.replace('http', 'ws'))
      onTestFinished(() => socket.terminate())
      await once(socket, 'open')
      return socket
    }),
  )
}

test('behavior: 5,000 subscribe calls of other sockets are not all answered before a light call', async () => {
  const dev = await startDevGateway()
  onTestFinished(() => dev.close())
  const { url } = dev
  const sockets = await openSockets(url, SOCKETS)
  const [light] = await openSockets(url, 1)
  let answered = 0
  let refused = 0
  for (const socket of sockets)
    socket.on('message', (data: Buffer) => {
      answered++
      if (!data.toString().includes('"result"')) refused++
    })
  for (const socket of sockets)
    for (let id = 1; id <= EACH; id++)
      socket.send(
        JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: ['newHeads'] }),
      )
  light?.send('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}')
  const [overWebSocket, overHttp] = await Promise.all([
    once(light as WebSocket, 'message').then(() => answered),
    post(url, 'eth_blockNumber').then(() => answered),
  ])
  expect(overWebSocket).toBeLessThan(SOCKETS * EACH)
  expect(overHttp).toBeLessThan(SOCKETS * EACH)
  await until(() => expect(answered).toBe(SOCKETS * EACH))
  expect(refused).toBe(0)
})
