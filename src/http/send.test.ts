import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { expect, onTestFinished, test } from 'vitest'

import { until } from '../../test/support/until.ts'
import { sendAnswer } from './send.ts'
import { createUnsent } from './unsent.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

test('behavior: of an answer that a client does not read, only the rest stays in memory', async () => {
  const [count, size] = [160, 128 * 1024]
  const parts: WeakRef<Buffer>[] = []
  const unsent = createUnsent({ limit: count * size })
  const server = createServer((_, outgoing) => {
    const buffers = Array.from({ length: count }, () => Buffer.allocUnsafeSlow(size))
    parts.push(...buffers.map((buffer) => new WeakRef(buffer)))
    sendAnswer(outgoing, { bytes: count * size, parts: buffers }, 'a', unsent)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    unsent.stop()
    socket.destroy()
    server.close()
  })
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await until(() => {
    expect(unsent.bytes()).toBeGreaterThan(0)
    const written = count - unsent.bytes() / size
    expect(written).toBeGreaterThan(10)
    gc()
    // Two parts may be held by what is written at present.
    expect(parts.filter((part) => part.deref()).length).toBeLessThan(count - written + 4)
  })
})

test.each([
  ['an ASCII text', ['{"id":1,"result":"0x1"}']],
  ['a text with other characters', ['{"id":"é✓","result":"0x1"}']],
  ['a text around short bytes', ['{"result":', Buffer.from('{"a":"b"}'), '}']],
  ['a text before long bytes', ['{"result":', Buffer.alloc(20_000, 'x')]],
  ['many parts', Array.from({ length: 40 }, (_, at) => Buffer.alloc(1_000, String(at % 10)))],
])('behavior: %s arrives whole, and the connection is used again', async (_, parts) => {
  const whole = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const unsent = createUnsent({ limit: 1_000_000 })
  let connections = 0
  const server = createServer((_, outgoing) => {
    outgoing.writeHead(200, ['content-length', String(whole.length)])
    sendAnswer(outgoing, { bytes: whole.length, parts }, 'a', unsent)
  }).listen(0, '127.0.0.1')
  server.on('connection', () => connections++)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => {
    agent.destroy()
    unsent.stop()
    server.close()
  })
  for (let round = 0; round < 3; round++) {
    const asked = get({ agent, host: '127.0.0.1', port })
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    expect((await buffer(response)).equals(whole)).toBe(true)
  }
  expect(connections).toBe(1)
})

test('behavior: the memory of an answer that its client has not read yet is not used for another answer', async () => {
  const [answers, count, size] = [12, 200, 4_000]
  const unsent = createUnsent({ limit: 2 * answers * count * size })
  const server = createServer(({ url = '' }, outgoing) => {
    const parts = Array.from({ length: count }, () => Buffer.alloc(size, url.slice(1)))
    outgoing.writeHead(200, ['content-length', String(count * size)])
    sendAnswer(outgoing, { bytes: count * size, parts }, 'a', unsent)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1').pause()
  onTestFinished(() => {
    unsent.stop()
    socket.destroy()
    server.close()
  })
  const names = Array.from({ length: answers }, (_, index) => String.fromCharCode(97 + index))
  socket.write(names.map((name) => `GET /${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
  await until(() => expect(unsent.bytes()).toBeGreaterThan(count * size))
  for (let round = 0; round < 3; round++) {
    const [response] = (await once(get({ host: '127.0.0.1', path: '/z', port }), 'response')) as [
      IncomingMessage,
    ]
    expect((await buffer(response)).equals(Buffer.alloc(count * size, 'z'))).toBe(true)
  }
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk)).resume()
  await until(() => {
    const bodies = Buffer.concat(chunks)
      .toString('latin1')
      .split(/HTTP\/1\.1[^]*?\r\n\r\n/)
    expect(bodies.slice(1).map((body) => body.length)).toEqual(names.map(() => count * size))
    expect(bodies.slice(1)).toEqual(names.map((name) => name.repeat(count * size)))
  })
})
