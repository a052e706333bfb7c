import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

import { createAccess } from './access.ts'
import { createInTurn } from './inTurn.ts'
import { guardUpgrades } from './upgrade.ts'

async function setup(): Promise<{ port: number; server: Server }> {
  const access = createAccess({
    allowedHosts: undefined,
    canSpend: false,
    cors: '*',
    host: '127.0.0.1',
  })
  const inTurn = createInTurn()
  const server = createServer((incoming, outgoing) => {
    const { socket } = incoming
    const start = () => answer(incoming, outgoing)
    void (inTurn.wait(socket, outgoing) ?? Promise.resolve()).then(start)
  })
  const answer: RequestListener = (incoming, outgoing) => {
    const note = String(incoming.headers['x-note'] ?? '')
    outgoing.write(`<${incoming.method} ${incoming.url} ${note} `)
    incoming.setEncoding('utf8').on('data', (chunk: string) => outgoing.write(chunk))
    const end = () => outgoing.end('>')
    incoming.on('end', () => (incoming.url === '/slow' ? setTimeout(end, 200) : end()))
  }
  const ws = new WebSocketServer({ noServer: true })
  server.on('upgrade', (incoming, socket, head) =>
    ws.handleUpgrade(incoming, socket, head, (client) => client.send('welcome')),
  )
  guardUpgrades(server, access, inTurn)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, server }
}

/** The answers to bytes that are written in pieces, until the last one has arrived. */
async function exchange(port: number, ...pieces: string[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
  for (const piece of pieces) {
    socket.write(piece, 'latin1')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await expect.poll(() => received).toContain('last')
  socket.destroy()
  return received.replaceAll(CHUNK_SIZES, '').match(/<[^>]*>/g) ?? []
}

/** The sizes between the pieces of a chunked response. */
const CHUNK_SIZES = /\r\n[0-9a-f]+\r\n/g

const H2C = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'

test('behavior: a request that asks for another protocol is answered without it', async () => {
  const { port } = await setup()
  const first = `POST /a HTTP/1.1\r\nHost: x\r\nX-Note: \u00e9\r\nContent-Length: 4\r\n${H2C}\r\nbo`
  const next = 'POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nlast'
  expect(await exchange(port, first, 'dy', next)).toEqual([
    '<POST /a \u00e9 body>',
    '<POST /b  last>',
  ])
})

test('behavior: a chunked body, and again on the same connection', async () => {
  const { port } = await setup()
  const request = (body: string) =>
    `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${H2C}\r\n4\r\n${body}\r\n0\r\n\r\n`
  expect(await exchange(port, request('body'), request('last'))).toEqual([
    '<POST /  body>',
    '<POST /  last>',
  ])
})

test('behavior: bytes that arrive while it waits for an earlier answer are kept', async () => {
  const { port } = await setup()
  const slow = 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'
  const waiting = `POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n${H2C}\r\nbo`
  const next = 'POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nlast'
  expect(await exchange(port, slow, waiting, 'dy', next)).toEqual([
    '<GET /slow  >',
    '<POST /a  body>',
    '<POST /b  last>',
  ])
})

test('behavior: WebSockets are accepted', async () => {
  const { port } = await setup()
  const client = new WebSocket(`ws://127.0.0.1:${port}/`)
  const message = await new Promise<string>((resolve, reject) => {
    client.once('message', (data: Buffer) => resolve(data.toString()))
    client.once('error', reject)
  })
  client.terminate()
  expect(message).toBe('welcome')
})

test.each(['a b', 'a:99999', '['])(
  'error: a WebSocket with the Host %s is refused',
  async (host) => {
    const { port } = await setup()
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
    socket.write(
      [
        'GET / HTTP/1.1',
        `Host: ${host}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Version: 13',
        '\r\n',
      ].join('\r\n'),
    )
    await expect.poll(() => received).toMatch(/^HTTP\/1\.1 \d+/)
    expect(received).toMatch(/^HTTP\/1\.1 400 .*the Host header is not valid$/s)
    socket.destroy()
  },
)

test('behavior: a closing server closes the connection', async () => {
  const { port, server } = await setup()
  await exchange(port, `GET /last HTTP/1.1\r\nHost: x\r\n${H2C}\r\n`)
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  expect(await closed).toBeUndefined()
})
