import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'

import { afterEach, describe, expect, test } from 'vitest'

import { NodeAnswerError, NodeTimeoutError, NodeUnreachableError } from '../errors.ts'
import { type CallReport, createHttpTransport, type NativeTransport } from './transport.ts'

const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

type Handler = (request: IncomingMessage, response: ServerResponse, index: number) => void

/** A real server with the given answers. It records its requests. */
async function serve(handler: Handler) {
  const requests: IncomingMessage[] = []
  const sockets = new Set<Socket>()
  let peak = 0
  const server = createServer((request, response) => {
    handler(request, response, requests.push(request) - 1)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    peak = Math.max(peak, sockets.size)
    socket.on('close', () => sockets.delete(socket))
  })
  const url = await listen(server)
  ends.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return { url, requests, sockets, peak: () => peak }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function transportTo(
  upstream: string,
  options: Partial<createHttpTransport.Options> = {},
): NativeTransport {
  const transport = createHttpTransport({ upstream, ...options })
  ends.push(() => transport.close())
  return transport
}

const READ = { idempotent: true }
const SEND = { idempotent: false }

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2))
}

describe('createHttpTransport', () => {
  test('default', async () => {
    const server = await serve((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => response.end(`${request.method} ${request.url} ${body}`))
    })
    const transport = transportTo(server.url)
    expect(await transport.send('/wallet/getblock', '{"a":1}', READ)).toEqual({
      status: 200,
      text: 'POST /wallet/getblock {"a":1}',
    })
    expect(await transport.send('/walletsolidity/getnodeinfo', undefined, READ)).toEqual({
      status: 200,
      text: 'GET /walletsolidity/getnodeinfo ',
    })
    expect(server.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
    })
    expect(server.requests[1]?.headers['content-type']).toBeUndefined()
  })

  test('args: header', async () => {
    const server = await serve((_, response) => response.end('{}'))
    await transportTo(server.url, { header: 'X-Api-Key:  a:b ' }).send('/wallet/x', '{}', READ)
    expect(server.requests[0]?.headers['x-api-key']).toBe('a:b')
    for (const header of ['nonsense', ': x', 'a b: c', ''])
      expect(() => createHttpTransport({ upstream: server.url, header })).toThrow('name: value')
  })

  test('args: upstream with a path', async () => {
    const server = await serve((_, response) => response.end('{}'))
    const transport = transportTo(`${server.url}/key/`, {
      upstreamSolidity: `${server.url}/solid?token=1`,
    })
    await transport.send('/wallet/x', '{}', READ)
    await transport.send('/walletsolidity/x', '{}', READ)
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/key/wallet/x',
      '/solid/walletsolidity/x?token=1',
    ])
  })

  test('args: upstreamSolidity', async () => {
    const full = await serve((_, response) => response.end('full'))
    const solid = await serve((_, response) => response.end('solid'))
    const transport = transportTo(full.url, { upstreamSolidity: solid.url })
    expect((await transport.send('/wallet/x', '{}', READ)).text).toBe('full')
    expect((await transport.send('/walletsolidity/x', '{}', READ)).text).toBe('solid')
  })

  test('args: onCall', async () => {
    const reports: CallReport[] = []
    const server = await serve((request, response) => {
      if (request.url?.endsWith('bad')) request.socket.destroy()
      else response.writeHead(503).end('{}')
    })
    const transport = transportTo(server.url, {
      onCall: () => ({ end: (report) => reports.push(report) }),
    })
    await transport.send('/wallet/x', '{}', READ)
    await transport.send('/wallet/bad', '{}', SEND).catch(() => {})
    expect(reports).toEqual([
      { path: '/wallet/x', status: 503, seconds: expect.any(Number), cancelled: false },
      { path: '/wallet/bad', seconds: expect.any(Number), cancelled: false },
    ])
  })

  test('behavior: connections are kept and used again', async () => {
    const server = await serve((_, response) => response.end('{}'))
    const transport = transportTo(server.url)
    for (let call = 0; call < 20; call++) await transport.send('/wallet/x', '{}', READ)
    // The next call may begin just before the pool has taken the last connection back.
    expect(server.peak()).toBeLessThanOrEqual(2)
  })

  test('behavior: the 41st call waits for a socket', async () => {
    const held: ServerResponse[] = []
    const server = await serve((_, response) => held.push(response))
    const transport = transportTo(server.url)
    const calls = Array.from({ length: 41 }, (_, index) =>
      transport.send(`/wallet/x${index}`, '{}', READ),
    )
    await until(() => held.length === 40)
    held.shift()?.end('{}')
    await until(() => held.length === 40)
    expect(server.requests).toHaveLength(41)
    for (const response of held) response.end('{}')
    await Promise.all(calls)
    expect(server.peak()).toBe(40)
  })

  test('behavior: both prefixes of one port share its sockets', async () => {
    const held: ServerResponse[] = []
    const server = await serve((_, response) => held.push(response))
    const transport = transportTo(server.url, { sockets: 2 })
    const calls = (
      ['/wallet/a', '/walletsolidity/b', '/wallet/c', '/walletsolidity/d'] as const
    ).map((path) => transport.send(path, '{}', READ))
    await until(() => held.length === 2)
    for (let answered = 0; answered < 4; answered++) {
      await until(() => held.length > 0)
      held.shift()?.end('{}')
    }
    await Promise.all(calls)
    expect(server.peak()).toBe(2)
  })

  test('behavior: a read whose connection is reset is retried once', async () => {
    const server = await serve((request, response, index) => {
      if (index === 0) request.socket.destroy()
      else response.end('{"ok":1}')
    })
    const reply = await transportTo(server.url).send('/wallet/x', '{}', READ)
    expect(reply.text).toBe('{"ok":1}')
    expect(server.requests).toHaveLength(2)
  })

  test('behavior: a read whose answer is incomplete is retried once', async () => {
    const server = await serve((request, response, index) => {
      response.writeHead(200, { 'content-length': 8 })
      if (index > 0) response.end('{"ok":1}')
      else response.write('{"ok', () => request.socket.destroy())
    })
    const reply = await transportTo(server.url).send('/wallet/x', '{}', READ)
    expect(reply.text).toBe('{"ok":1}')
  })

  test('behavior: an idle connection that the node has closed is no fault', async () => {
    const server = await serve((_, response) => response.end('{}'))
    const transport = transportTo(server.url)
    await transport.send('/wallet/x', '{}', READ)
    for (const socket of server.sockets) socket.destroy()
    expect((await transport.send('/wallet/x', '{}', READ)).status).toBe(200)
  })

  test('behavior: a waiting call that is aborted frees its socket', async () => {
    const server = await serve((_, response, index) => {
      if (index > 0) response.end('{}')
    })
    const transport = transportTo(server.url, { sockets: 1 })
    const controller = new AbortController()
    const left = transport.send('/wallet/slow', '{}', { ...READ, signal: controller.signal })
    await until(() => server.requests.length === 1)
    controller.abort(new Error('client gone'))
    await expect(left).rejects.toThrow('client gone')
    expect((await transport.send('/wallet/x', '{}', READ)).status).toBe(200)
    const late = transport.send('/wallet/x', '{}', { ...READ, signal: controller.signal })
    await expect(late).rejects.toThrow('client gone')
    expect(server.requests).toHaveLength(2)
  })

  test('behavior: a call that waits for a socket ends when it is aborted', async () => {
    const server = await serve(() => {})
    const transport = transportTo(server.url, { sockets: 1 })
    const controller = new AbortController()
    const held = transport.send('/wallet/held', '{}', { ...READ, signal: controller.signal })
    await until(() => server.requests.length === 1)
    const leaving = new AbortController()
    const waits = transport.send('/wallet/waits', '{}', { ...READ, signal: leaving.signal })
    leaving.abort(new Error('client gone'))
    await expect(waits).rejects.toThrow('client gone')
    controller.abort(new Error('over'))
    await expect(held).rejects.toThrow('over')
    expect(server.requests.map(({ url }) => url)).toEqual(['/wallet/held'])
  })

  test('behavior: a character that arrives in two parts, and a byte order mark', async () => {
    const [mark, text] = [Buffer.from('\ufeff'), Buffer.from('{"name":"é"}')]
    const server = await serve((_, response) => {
      response.write(Buffer.concat([mark, text.subarray(0, 10)]), () => {
        setTimeout(() => response.end(text.subarray(10)), 20)
      })
    })
    const reply = await transportTo(server.url).send('/wallet/x', '{}', READ)
    expect(reply.text).toBe('{"name":"é"}')
  })

  test('error: a broadcast whose connection is reset is not sent again', async () => {
    const server = await serve((request) => request.socket.destroy())
    const call = transportTo(server.url).send('/wallet/broadcasthex', '{}', SEND)
    await expect(call).rejects.toThrow(NodeUnreachableError)
    expect(server.requests).toHaveLength(1)
  })

  test('error: a connection that keeps breaking', async () => {
    const server = await serve((request) => request.socket.destroy())
    const call = transportTo(server.url).send('/wallet/x', '{}', READ)
    await expect(call).rejects.toThrow(NodeUnreachableError)
    expect(server.requests).toHaveLength(2)
  })

  test('error: no server at the address', async () => {
    const server = createTcpServer()
    const url = await listen(server)
    server.close()
    await once(server, 'close')
    const error = await transportTo(url)
      .send('/wallet/x', '{}', READ)
      .catch((error: unknown) => error)
    expect(error).toBeInstanceOf(NodeUnreachableError)
    expect(error).toMatchObject({ code: -32603, message: 'the upstream node is unreachable' })
  })

  test('error: a node that does not answer in time', async () => {
    const server = await serve((_, response, index) => {
      if (index === 1) response.writeHead(200, { 'content-length': 100 }).write('{')
    })
    const transport = transportTo(server.url, { timeout: 250 })
    await expect(transport.send('/wallet/x', '{}', READ)).rejects.toThrow(NodeTimeoutError)
    await expect(transport.send('/wallet/x', '{}', READ)).rejects.toThrow(
      'the upstream node did not answer within 250 ms',
    )
    await expect(transport.send('/wallet/x', '{}', { ...READ, timeout: 50 })).rejects.toThrow(
      'the upstream node did not answer within 50 ms',
    )
    // None is sent again. On a busy machine a call may end before its request is sent.
    expect(server.requests.length).toBeLessThanOrEqual(3)
  })

  test.each([
    ['one block', '/wallet/getblockbynum', 17],
    ['an account', '/wallet/getaccount', 33],
    ['the outcomes of a block', '/wallet/gettransactioninfobyblocknum?num=1', 65],
  ] as const)('error: an answer that is too large for %s', async (_, path, mebibytes) => {
    const chunk = Buffer.alloc(1024 * 1024, 'a')
    let sent = 0
    const { url } = await serve((_, response) => {
      const more = () => {
        if (++sent <= mebibytes + 100) response.write(chunk, () => setImmediate(more))
      }
      response.on('error', () => {})
      more()
    })
    const error = await transportTo(url)
      .send(path, '{}', READ)
      .catch((error: unknown) => error)
    expect(error).toBeInstanceOf(NodeAnswerError)
    expect((error as Error).message).toBe('the upstream node’s answer is too large')
    // It is not read to its end.
    expect(sent).toBeLessThan(mebibytes + 100)
  })

  test('error: a port where something else listens', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.end('SSH-2.0-OpenSSH_9.6\r\n')
    })
    const url = await listen(server)
    ends.push(async () => server.close())
    const call = transportTo(url).send('/wallet/x', '{}', READ)
    await expect(call).rejects.toThrow(NodeAnswerError)
  })

  test('error: after close', async () => {
    const server = await serve((_, response) => response.end('{}'))
    const transport = createHttpTransport({ upstream: server.url })
    await transport.close()
    await expect(transport.send('/wallet/x', '{}', READ)).rejects.toThrow(NodeUnreachableError)
  })

  test('error: an address that is none', () => {
    expect(() => createHttpTransport({ upstream: 'localhost' })).toThrow('Invalid URL')
  })
})
