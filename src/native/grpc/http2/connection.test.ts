import { once } from 'node:events'
import http2 from 'node:http2'
import net, { type AddressInfo } from 'node:net'

import { expect, onTestFinished, test } from 'vitest'

import { type Http2Connection, type Http2Response, openHttp2 } from './connection.ts'
import { encodeFields } from './hpack.ts'

type Handler = (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void

/** A connection to a server of node:http2. */
async function setup(
  handler: Handler,
  { idle = 10_000, maxLength = 1e9, settings = {} }: Setup = {},
) {
  const server = http2.createServer({ maxSessionMemory: 200, settings })
  const sessions: http2.ServerHttp2Session[] = []
  server.on('session', (session) => sessions.push(session))
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    handler(stream, headers)
  })
  const address = await listen(server)
  const events: string[] = []
  const connection = openHttp2({
    address,
    idle,
    maxLength,
    onRetired: () => void events.push('retired'),
  })
  onTestFinished(() => {
    connection.destroy(new Error('the test is over'))
    for (const session of sessions) session.destroy()
    server.close()
  })
  return { connection, events, session: () => sessions[0] as http2.ServerHttp2Session }
}

type Setup = { idle?: number; maxLength?: number; settings?: http2.Settings }

async function listen(server: net.Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** @param path - the handler gets it. */
function ask(connection: Http2Connection, path: string, body = 'body'): Promise<Http2Response> {
  return new Promise((resolve, reject) => {
    connection.request(fieldsOf(path), Buffer.from(body), (result) =>
      result instanceof Error ? reject(result) : resolve(result),
    )
  })
}

const fieldsOf = (path: string) =>
  encodeFields([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'test'],
  ])

const textOf = ({ chunks }: Http2Response) => Buffer.concat(chunks).toString()

/** Answers with as many bytes as the path says, and with trailers. */
const answerBytes: Handler = (stream, headers) => {
  stream.respond({ ':status': 200, 'x-path': String(headers[':path']) }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'x-end': 'yes' }))
  stream.end('a'.repeat(Number(String(headers[':path']).slice(1))))
}

test('default: many requests at once, each with its response, whatever its size', async () => {
  const { connection } = await setup(answerBytes, { settings: { maxConcurrentStreams: 7 } })
  const sizes = Array.from({ length: 500 }, (_, index) => (index % 50 === 7 ? 100_003 : index))
  const responses = await Promise.all(sizes.map((size) => ask(connection, `/${size}`)))
  for (const [index, response] of responses.entries()) {
    expect(response.length).toBe(sizes[index])
    expect(textOf(response).length).toBe(sizes[index])
    expect(Object.fromEntries(response.fields)).toMatchObject({
      ':status': '200',
      'x-path': `/${sizes[index]}`,
      'x-end': 'yes',
    })
  }
})

test('default: more bytes than the windows of both sides', async () => {
  let sent = 0
  const { connection } = await setup((stream) => {
    stream.on('data', (chunk: Buffer) => (sent += chunk.length))
    stream.on('end', () => {
      stream.respond({ ':status': 200 })
      stream.end(Buffer.alloc(2_000_000))
    })
  })
  const body = 'b'.repeat(10_000)
  const responses = await Promise.all(Array.from({ length: 30 }, () => ask(connection, '/', body)))
  expect(sent).toBe(300_000)
  expect(responses.map(({ length }) => length)).toEqual(responses.map(() => 2_000_000))
})

test('behavior: header fields of several frames, with each printable character', async () => {
  const characters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
  // Among short codes, the server uses the Huffman code for any character.
  const text = characters.map((character) => `aaaaa${character}eeeee`).join('')
  const { connection } = await setup((stream) => {
    stream.respond({ ':status': 200, 'x-text': text, 'x-long': '&'.repeat(30_000) })
    stream.end('ok')
  })
  const { fields } = await ask(connection, '/')
  expect(fields.get('x-text')).toBe(text)
  expect(fields.get('x-long')).toBe('&'.repeat(30_000))
})

test('behavior: a ping is answered', async () => {
  const { connection, session } = await setup(answerBytes)
  await ask(connection, '/1')
  const payload = Buffer.from('12345678')
  const answer = await new Promise((resolve) => {
    session().ping(payload, (_, __, received) => resolve(received))
  })
  expect(answer).toEqual(payload)
})

test('behavior: when the node ends the connection, requests in flight get their responses', async () => {
  let answer = () => {}
  const { connection, events, session } = await setup((stream) => {
    answer = () => {
      stream.respond({ ':status': 200 })
      stream.end('late')
    }
    session().close()
  })
  const response = ask(connection, '/')
  while (events.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  answer()
  expect(textOf(await response)).toBe('late')
  while (!session().destroyed) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(() => connection.request(fieldsOf('/'), Buffer.alloc(0), () => {})).toThrow(
    'the connection was closed',
  )
})

test('behavior: a connection without traffic ends', async () => {
  const { connection, events, session } = await setup(answerBytes, { idle: 30 })
  await ask(connection, '/1')
  await once(session(), 'close')
  expect(events).toContain('retired')
})

test('behavior: a cancelled request ends at the node, and others go on', async () => {
  const closed: number[] = []
  const { connection } = await setup((stream, headers) => {
    if (headers[':path'] === '/5') answerBytes(stream, headers)
    else stream.on('close', () => closed.push(stream.rstCode))
  })
  const cancel = connection.request(fieldsOf('/hang'), Buffer.alloc(0), () => {
    throw new Error('it was cancelled')
  })
  await ask(connection, '/5')
  cancel()
  expect((await ask(connection, '/5')).length).toBe(5)
  expect(closed).toEqual([http2.constants.NGHTTP2_CANCEL])
})

test('error: a reset, an answer that is too large, and a broken connection', async () => {
  const { connection, events } = await setup(
    (stream, headers) => {
      const path = headers[':path']
      if (path === '/reset') stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)
      else if (path === '/break') stream.session?.destroy()
      else answerBytes(stream, headers)
    },
    { maxLength: 1_000 },
  )
  await expect(ask(connection, '/reset')).rejects.toThrow('the node reset the call (code 7)')
  await expect(ask(connection, '/1001')).rejects.toThrow('the answer is too large')
  expect((await ask(connection, '/1000')).length).toBe(1_000)
  await expect(ask(connection, '/break')).rejects.toThrow(/closed|reset/)
  expect(events).toEqual(['retired'])
})

/** An empty frame of settings, with which every server begins. */
const SETTINGS = '000000040000000000'

test.each([
  ['HTTP/1.1', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n').toString('hex'), /too large/],
  ['a field of a dynamic table', `${SETTINGS}000001010500000001be`, /header fields/],
  [
    'a ping between parts of header fields',
    `${SETTINGS}00000101000000000188000008060000000000${'00'.repeat(8)}`,
    /does not follow HTTP\/2/,
  ],
])('error: a server that does not follow HTTP/2: %s', async (_, bytes, reason) => {
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.from(bytes, 'hex'))
      setTimeout(() => socket.destroy(), 50)
    })
  })
  const connection = openHttp2({
    address: await listen(server),
    idle: 10_000,
    maxLength: 1_000,
    onRetired() {},
  })
  onTestFinished(() => void server.close())
  await expect(ask(connection, '/')).rejects.toThrow(reason)
})
