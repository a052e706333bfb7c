import type { Socket } from 'node:net'

import { expect, onTestFinished, test } from 'vitest'

import { serve } from '../../../test/support/serve.ts'
import { createCheckTransport } from './checkTransport.ts'

/** A node that answers when the test says so, and its connections. */
async function setup() {
  const sockets = new Set<Socket>()
  const waiting: (() => void)[] = []
  const server = await serve((request, response) => {
    sockets.add(request.socket)
    request.resume()
    if (request.url === '/wallet/getblock') response.end('{}')
    else waiting.push(() => response.end('{"late":true}'))
  })
  const transport = createCheckTransport({ sockets: 1, upstream: server.url })
  onTestFinished(async () => {
    await transport.close()
    await server.close()
  })
  const send = (path: '/wallet/getblock' | '/wallet/late' = '/wallet/getblock') =>
    transport.send(path, '{}', { idempotent: true })
  return { send, sockets, transport, waiting }
}

test('default: keeps its connection', async () => {
  const { send, sockets } = await setup()
  for (let count = 0; count < 3; count++) await send()
  expect(sockets.size).toBe(1)
})

test('behavior: uses a new connection after renew, and closes the one from before', async () => {
  const { send, sockets, transport } = await setup()
  await send()
  transport.renew()
  transport.renew()
  await send()
  await send()
  expect(sockets.size).toBe(2)
  const [before] = sockets
  await expect.poll(() => before?.destroyed).toBe(true)
})

test('behavior: a call in flight finishes on the connection from before', async () => {
  const { send, sockets, transport, waiting } = await setup()
  const late = send('/wallet/late')
  await expect.poll(() => waiting.length).toBe(1)
  transport.renew()
  await send()
  waiting[0]?.()
  expect(await late).toMatchObject({ text: '{"late":true}' })
  const [before] = sockets
  await expect.poll(() => before?.destroyed).toBe(true)
})
