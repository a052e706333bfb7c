import { once } from 'node:events'
import { connect } from 'node:net'

import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import { call, startHttpServer as setup } from '../../test/support/httpServer.ts'
import { until } from '../../test/support/until.ts'

async function open(url: string, path = '/') {
  const ws = new WebSocket(url.replace('http', 'ws') + path)
  const messages: string[] = []
  let closing: { code: number; reason: string } | undefined
  ws.on('message', (data) => messages.push((data as Buffer).toString()))
  ws.on('close', (code, reason) => {
    closing = { code, reason: reason.toString() }
  })
  await new Promise((resolve, reject) => {
    ws.once('open', resolve)
    ws.once('error', reject)
  })
  onTestFinished(() => ws.terminate())
  const next = (count = 1) =>
    until(() => {
      expect(messages.length).toBeGreaterThanOrEqual(count)
      return messages.splice(0, count)
    })
  const closed = () =>
    until(() => {
      if (closing) return closing
      throw new Error('still open')
    })
  return { closed, next, ws }
}

test.each(['/', '/jsonrpc', '/ws', '/ws/'])('args: path %s', async (path) => {
  const { url } = await setup()
  const { next, ws } = await open(url, path)
  ws.send(call('echo', 1))
  expect(await next()).toEqual(['{"jsonrpc":"2.0","id":1,"result":1}'])
})

test('behavior: batches, parse errors, notifications, bytes instead of text', async () => {
  const { url } = await setup()
  const { next, ws } = await open(url)
  ws.send('{"jsonrpc":"2.0","method":"echo"}')
  ws.send(`[${call('echo', 1)},${call('echo', 2)}]`)
  expect(await next()).toEqual([
    '[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":1,"result":2}]',
  ])
  ws.send('{')
  expect(await next()).toEqual([
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
  ])
  ws.send(Buffer.from(call('echo', 'ä')))
  expect(await next()).toEqual(['{"jsonrpc":"2.0","id":1,"result":"ä"}'])
})

test('error: bytes that are not UTF-8', async () => {
  const { url } = await setup()
  const { next, ws } = await open(url)
  ws.send(Buffer.from(call('echo', 'ä'), 'latin1'))
  ws.send(call('echo', 1))
  expect(await next(2)).toEqual([
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the message is not UTF-8"}}',
    '{"jsonrpc":"2.0","id":1,"result":1}',
  ])
})

test('behavior: more requests than may be in flight are all answered', async () => {
  const { clients, release, url } = await setup()
  const { next, ws } = await open(url)
  for (let id = 0; id < 500; id++) ws.send(call('wait'))
  await until(() => expect(clients).toHaveLength(64))
  release()
  expect(await next(500)).toHaveLength(500)
})

test('behavior: notifications', async () => {
  const { sockets, url } = await setup()
  const { next, ws } = await open(url)
  ws.send(call('attach'))
  await next()
  sockets[0]?.send('{"a":"ä"}')
  sockets[0]?.send(Buffer.from('{"b":1}'))
  expect(await next(2)).toEqual(['{"a":"ä"}', '{"b":1}'])
  const closed = vi.fn<() => void>()
  sockets[0]?.onClose(closed)
  const forgotten = vi.fn<() => void>()
  sockets[0]?.onClose(forgotten)()
  ws.close()
  await until(() => expect(closed).toHaveBeenCalledOnce())
  expect(forgotten).not.toHaveBeenCalled()
  sockets[0]?.send('nobody')
  const late = vi.fn<() => void>()
  sockets[0]?.onClose(late)
  expect(late).toHaveBeenCalledOnce()
})

test('behavior: settling', async () => {
  const { aborted, clients, release, deliveries, url } = await setup()
  const { next, ws } = await open(url)
  ws.send(call('page', 1_000_000))
  await next()
  await until(() => expect(deliveries).toEqual([true]))
  ws.send(call('wait'))
  await until(() => expect(clients).toHaveLength(2))
  ws.terminate()
  await until(() => expect(aborted).toEqual([true]))
  release()
  await until(() => expect(deliveries).toEqual([true, false]))
})

test('error: a message over the limit', async () => {
  const { url } = await setup({ bodyLimit: 1_000 })
  const { closed, ws } = await open(url)
  ws.send(call('echo', 'x'.repeat(1_000)))
  expect((await closed()).code).toBe(1009)
})

test('error: too many connections of one address, of all; freed when they leave', async () => {
  const { url } = await setup({ wsConnectionsPerClient: 2 })
  const first = await open(url)
  await open(url)
  // Clients cannot read the status of a handshake, but the reason of a closed connection.
  expect((await (await open(url)).closed()).code).toBe(1013)
  first.ws.close()
  await first.closed()
  await until(async () => {
    const { ws } = await open(url)
    ws.send(call('echo', 'here'))
    const [first] = await Promise.race([once(ws, 'message'), once(ws, 'close')])
    expect(String(first)).toContain('here')
  })
  const all = await setup({ wsConnections: 0 })
  await expect(open(all.url)).rejects.toThrow('429')
})

test('error: handshakes that break off are not counted', async () => {
  const { port, url } = await setup({ wsConnectionsPerClient: 1 })
  for (let count = 0; count < 5; count++) {
    const socket = connect(port)
    // Neither key nor version: the handshake cannot be completed.
    socket.write('GET /ws HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n')
    await new Promise((resolve) => socket.resume().once('close', resolve))
  }
  await expect(until(() => open(url))).resolves.toBeDefined()
})

test('error: unknown path', async () => {
  const { url } = await setup()
  await expect(open(url, '/nope')).rejects.toThrow('404')
})

test('behavior: a reader that is too slow for its notifications is cut', async () => {
  const { cuts, sockets, url } = await setup({ wsBuffer: 100_000 })
  const { next, ws } = await open(url)
  ws.send(call('attach'))
  await next()
  ws.pause()
  const [socket] = sockets
  const frame = 'x'.repeat(50_000)
  for (let count = 0; count < 1_000 && cuts.length === 0; count++) {
    socket?.send(frame)
    await new Promise(setImmediate)
  }
  expect(cuts).toEqual(['reader too slow'])
  expect(socket?.buffered()).toBeLessThan(200_000)
  const ended = vi.fn<() => void>()
  socket?.onClose(ended)
  await until(() => expect(ended).toHaveBeenCalled())
})

test('behavior: a client that asks without reading is not read further', async () => {
  const { clients, deliveries, url } = await setup({ wsBuffer: 100_000 })
  const { ws } = await open(url)
  ws.pause()
  for (let count = 0; count < 100; count++) ws.send(call('page', 1_000_000))
  await until(() => expect(clients).not.toEqual([]))
  // Another client is served after all that the first has sent could have been read.
  const other = await open(url)
  for (let id = 0; id < 20; id++) {
    other.ws.send(call('echo', id))
    await other.next()
  }
  expect(clients.length).toBeLessThan(60)
  ws.resume()
  await until(() => expect(deliveries).toHaveLength(100))
})

test('behavior: sockets close with 1001 when the server stops', async () => {
  const { close, url } = await setup()
  const { closed } = await open(url)
  await close()
  expect(await closed()).toEqual({ code: 1001, reason: 'server is shutting down' })
})

test('behavior: Upgrade without Connection: Upgrade is no WebSocket, and counts as none', async () => {
  const { url } = await setup({ wsConnections: 1 })
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => (received += text))
  for (let round = 1; round <= 3; round++) {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n')
    await until(() => expect(received.match(/HTTP\/1.1 200/g)).toHaveLength(round))
  }
  const { next, ws } = await open(url)
  ws.send(call('echo', 1))
  expect(await next()).toEqual(['{"jsonrpc":"2.0","id":1,"result":1}'])
})

test('behavior: the parts of a message that has not ended are held, and given back', async () => {
  const { held, url } = await setup()
  const { closed, next, ws } = await open(url)
  ws.send('"', { fin: false })
  for (let at = 0; at < 3; at++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    ws.send('x'.repeat(100_000), { fin: false })
  }
  await until(() => expect(held.total('frames')).toBeGreaterThan(100_000))
  ws.send('"', { fin: true })
  expect(await next()).toEqual([expect.stringContaining('-32600')])
  expect(held.total('frames')).toBe(0)
  ws.send('x'.repeat(100_000), { fin: false })
  ws.send('x'.repeat(100_000), { fin: false })
  await until(() => expect(held.total('frames')).toBeGreaterThan(0))
  ws.close()
  await closed()
  await until(() => expect(held.total('frames')).toBe(0))
})

test('error: more parts of messages than one client may hold', async () => {
  const { cuts, url } = await setup({ heldBytes: 1024 * 1024 })
  const { closed, ws } = await open(url)
  for (let at = 0; at < 40; at++) {
    ws.send('x'.repeat(50_000), { fin: false })
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  expect(await closed()).toMatchObject({ code: expect.any(Number) })
  expect(cuts).toEqual(['too many bytes are held'])
})
