import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { Hono } from 'hono'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import { type Config, createConfig } from '../config.ts'
import type { Context } from '../context.ts'
import type { AnyMethod } from '../jsonrpc/method.ts'
import type { RpcSocket } from '../jsonrpc/request.ts'
import { createRpcServer } from '../jsonrpc/server.ts'
import { wireOf } from '../jsonrpc/wire.ts'
import type { Health } from './health.ts'
import { createHttpServer } from './server.ts'

const HEALTH: Health = {
  status: 'ok',
  ready: true,
  reasons: [],
  version: '1.2.3',
  chainId: '0x1',
  upstream: { state: 'up', wallet: null, solidity: null },
  head: { role: 'alone', number: 7, solid: 5, age: 1.5 },
  redis: 'none',
  uptime: 3,
}

async function setup(given: Partial<Config> = {}, health: Partial<Health> = {}) {
  const settled: boolean[] = []
  const aborted: boolean[] = []
  const clients: string[] = []
  const cuts: string[] = []
  const errors: unknown[] = []
  const sockets: RpcSocket[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const method = (handler: AnyMethod['handler']): AnyMethod => ({
    params: [(input: unknown) => input],
    summary: '',
    handler,
  })
  const methods: Record<string, AnyMethod> = {
    echo: method((_, [input]) => input),
    big: method((_, [bytes]) => wireOf(Buffer.from(`"${'x'.repeat((bytes as number) - 2)}"`))),
    page: method(({ request }, [bytes]) => {
      clients.push(request.client)
      request.onSettled((delivered) => settled.push(delivered))
      return wireOf(Buffer.from(`"${'x'.repeat((bytes as number) - 2)}"`))
    }),
    wait: method(async ({ request }) => {
      request.onSettled((delivered) => settled.push(delivered))
      request.signal.addEventListener('abort', () => aborted.push(true))
      await released
      return 'done'
    }),
    attach: method(({ request }) => {
      if (request.socket) sockets.push(request.socket)
      return request.socket !== undefined
    }),
  }
  const server = createRpcServer({
    context: () => ({}) as Context,
    methods,
    onError: (error) => errors.push(error),
  })
  const http = createHttpServer({
    config: createConfig({ port: 0, ...given }),
    extraRoutes: new Hono().post('/wallet/getnowblock', (c) => c.json({ blockID: '00' })),
    health: () => ({ ...HEALTH, ...health }),
    metrics: { contentType: 'text/plain', text: async () => 'ethgate_up 1\n' },
    onConnections: () => {},
    onCut: (reason) => cuts.push(reason),
    onError: (error) => errors.push(error),
    routes: ['/', '/jsonrpc', '/ws'].map((path) => ({ path, server })),
  })
  const { port, url } = await http.listen()
  onTestFinished(() => {
    release()
    return http.close()
  })
  const post = (body: string | ReadableStream, init: RequestInit = {}, path = '/') =>
    fetch(url + path, { method: 'POST', body, ...init })
  return {
    aborted,
    clients,
    close: () => http.close(),
    cuts,
    errors,
    port,
    post,
    release,
    settled,
    sockets,
    url,
  }
}

const call = (method: string, ...params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

describe('POST', () => {
  test('default', async () => {
    const { post } = await setup()
    const response = await post(call('echo', 'ä'))
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual({
      'access-control-allow-origin': '*',
      connection: 'keep-alive',
      'content-length': '38',
      'content-type': 'application/json',
      date: expect.any(String),
      'keep-alive': 'timeout=75',
    })
    expect(await response.text()).toBe('{"jsonrpc":"2.0","id":1,"result":"ä"}')
  })

  test.each(['/', '/?key=1', '/jsonrpc', '/jsonrpc/', '/ws'])('args: path %s', async (path) => {
    const { post } = await setup()
    expect((await post(call('echo', 1), {}, path)).status).toBe(200)
  })

  test('args: the whole address instead of a path, as through a proxy', async () => {
    const { url } = await setup()
    const { port } = new URL(url)
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest({ method: 'POST', path: 'http://x/jsonrpc?a=b', port })
      request.on('response', (response) => resolve(response.statusCode)).on('error', reject)
      request.end(call('echo', 1))
    })
    expect(status).toBe(200)
  })

  test.each([
    'text/plain',
    'application/json;charset=utf-8',
    'application/octet-stream',
    'application/json-rpc',
  ])('args: content type %s', async (type) => {
    const { post } = await setup()
    const response = await post(call('echo', 1), { headers: { 'content-type': type } })
    expect(await response.text()).toBe('{"jsonrpc":"2.0","id":1,"result":1}')
  })

  test('behavior: a body in many chunks', async () => {
    const { post } = await setup()
    const text = call('echo', 'ä'.repeat(10_000))
    const bytes = Buffer.from(text)
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 999)
          controller.enqueue(bytes.subarray(at, at + 999))
        controller.close()
      },
    })
    const response = await post(body, { duplex: 'half' })
    expect(((await response.json()) as { result: string }).result).toHaveLength(10_000)
  })

  test.each([1_000, 65_000, 66_000, 5_000_000])('behavior: a result of %s bytes', async (bytes) => {
    const { post } = await setup()
    const response = await post(call('big', bytes))
    const text = await response.text()
    expect(text).toHaveLength(Number(response.headers.get('content-length')))
    expect((JSON.parse(text) as { result: string }).result).toHaveLength(bytes - 2)
  })

  test('behavior: a notification is answered without a body', async () => {
    const { post } = await setup()
    const response = await post('{"jsonrpc":"2.0","method":"echo"}')
    expect(response.status).toBe(204)
    expect(await response.text()).toBe('')
  })

  test('behavior: JSON-RPC errors come with status 200', async () => {
    const { post } = await setup()
    for (const text of ['', '{', '[]', call('nope')]) expect((await post(text)).status).toBe(200)
  })

  test('error: a body over the limit, announced or not', async () => {
    const { post } = await setup({ bodyLimit: 1_000 })
    const text = call('echo', 'x'.repeat(1_000))
    const stream = new Blob([text]).stream()
    for (const response of [await post(text), await post(stream, { duplex: 'half' })]) {
      expect(response.status).toBe(413)
      expect(await response.json()).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'Request body exceeds the limit of 1000 bytes' },
      })
    }
  })
})

describe('settling', () => {
  test.each([100, 1_000_000])('behavior: delivered, %s bytes', async (bytes) => {
    const { post, settled } = await setup()
    await (await post(call('page', bytes))).text()
    await vi.waitFor(() => expect(settled).toEqual([true]))
  })

  test('behavior: delivered on a connection that closes with the answer', async () => {
    const { post, settled } = await setup()
    await (await post(call('page', 100), { headers: { connection: 'close' } })).text()
    await vi.waitFor(() => expect(settled).toEqual([true]))
  })

  test('behavior: the client goes while the method runs', async () => {
    const { aborted, port, release, settled } = await setup()
    const outgoing = httpRequest({ method: 'POST', port })
    outgoing.on('error', () => {})
    outgoing.end(call('wait'))
    await sleep(50)
    outgoing.destroy()
    await vi.waitFor(() => expect(aborted).toEqual([true]))
    release()
    await vi.waitFor(() => expect(settled).toEqual([false]))
  })

  test.each(['reset', 'end'] as const)(
    'behavior: the client takes only part of the answer: %s',
    async (way) => {
      const { port, settled } = await setup()
      const body = call('page', 30_000_000)
      const socket = connect(port)
      socket.on('error', () => {})
      socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      await new Promise((resolve) => socket.once('data', resolve))
      socket.pause()
      expect(settled).toEqual([])
      if (way === 'reset') socket.resetAndDestroy()
      else socket.destroy()
      await vi.waitFor(() => expect(settled).toEqual([false]))
    },
  )
})

describe('clients', () => {
  test.each([
    [0, '1.1.1.1', /^(::ffff:)?127\.0\.0\.1$/],
    [1, undefined, /^(::ffff:)?127\.0\.0\.1$/],
    [1, '1.1.1.1, 2.2.2.2', /^2\.2\.2\.2$/],
    [2, '1.1.1.1, 2.2.2.2', /^1\.1\.1\.1$/],
  ])('behavior: trusting %s proxies with %s', async (trustProxy, forwarded, expected) => {
    const { clients, post } = await setup({ trustProxy })
    await post(call('page', 10), { headers: forwarded ? { 'x-forwarded-for': forwarded } : {} })
    expect(clients[0]).toMatch(expected)
  })
})

describe('browsers', () => {
  test('behavior: preflight', async () => {
    const { url } = await setup()
    const response = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-key',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-headers')).toBe('content-type,x-key')
    expect(response.headers.get('access-control-allow-methods')).toContain('POST')
  })

  test('behavior: only listed origins are allowed', async () => {
    const { post } = await setup({ cors: 'https://a.example,https://b.example' })
    const allowed = async (origin: string) =>
      (await post(call('echo'), { headers: { origin } })).headers.get('access-control-allow-origin')
    expect(await allowed('https://b.example')).toBe('https://b.example')
    expect(await allowed('https://c.example')).toBeNull()
  })

  test('behavior: a page for people, JSON for programs', async () => {
    const { url } = await setup()
    expect(await (await fetch(url)).json()).toMatchObject({ name: 'ethgate', chainId: '0x1' })
    const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
    expect(page).toContain('<td>1 (0x1)</td>')
  })
})

describe('other paths', () => {
  test('behavior: probes', async () => {
    const { url } = await setup()
    const health = await fetch(`${url}/health`)
    expect([health.status, await health.json()]).toEqual([200, HEALTH])
    const ready = await fetch(`${url}/ready`)
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true }])
    expect(await (await fetch(`${url}/metrics`)).text()).toBe('ethgate_up 1\n')
  })

  test.each(['starting', 'down', 'draining'] as const)('behavior: 503 while %s', async (status) => {
    const { url } = await setup({}, { status, ready: false })
    expect((await fetch(`${url}/health`)).status).toBe(503)
    expect((await fetch(`${url}/ready`)).status).toBe(503)
  })

  test('behavior: degraded still serves', async () => {
    const { url } = await setup({}, { status: 'degraded', reasons: ['Redis is away'] })
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  test('behavior: routes beside', async () => {
    const { url } = await setup()
    const response = await fetch(`${url}/wallet/getnowblock`, { method: 'POST' })
    expect(await response.json()).toEqual({ blockID: '00' })
  })

  test('error: unknown path, wrong verb', async () => {
    const { url } = await setup()
    expect((await fetch(`${url}/nope`)).status).toBe(404)
    expect((await fetch(`${url}/nope`, { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${url}/jsonrpc`)).status).toBe(405)
    expect((await fetch(url, { method: 'PUT' })).status).toBe(405)
  })
})

describe('closing', () => {
  test('behavior: what is under way finishes, nothing new is accepted', async () => {
    const { close, post, release } = await setup()
    const answer = post(call('wait'))
    await sleep(50)
    const closed = close()
    await expect(post(call('echo'))).rejects.toThrow('fetch failed')
    release()
    expect(await (await answer).text()).toBe('{"jsonrpc":"2.0","id":1,"result":"done"}')
    await closed
  })

  test('behavior: what takes too long is cut', async () => {
    const { close, post } = await setup({ drain: 50 })
    const answer = post(call('wait')).catch((error: unknown) => error)
    await sleep(50)
    await close()
    expect(await answer).toBeInstanceOf(TypeError)
  })
})

describe('WebSocket', () => {
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
      vi.waitFor(() => {
        expect(messages.length).toBeGreaterThanOrEqual(count)
        return messages.splice(0, count)
      })
    const closed = () =>
      vi.waitFor(() => {
        if (closing) return closing
        throw new Error('still open')
      }, 5_000)
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

  test('behavior: more requests than may be under way are all answered', async () => {
    const { release, url } = await setup()
    const { next, ws } = await open(url)
    for (let id = 0; id < 500; id++) ws.send(call('wait'))
    await sleep(50)
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
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce())
    expect(forgotten).not.toHaveBeenCalled()
    sockets[0]?.send('nobody')
    const late = vi.fn<() => void>()
    sockets[0]?.onClose(late)
    expect(late).toHaveBeenCalledOnce()
  })

  test('behavior: settling', async () => {
    const { aborted, release, settled, url } = await setup()
    const { next, ws } = await open(url)
    ws.send(call('page', 1_000_000))
    await next()
    await vi.waitFor(() => expect(settled).toEqual([true]))
    ws.send(call('wait'))
    await sleep(50)
    ws.terminate()
    await vi.waitFor(() => expect(aborted).toEqual([true]))
    release()
    await vi.waitFor(() => expect(settled).toEqual([true, false]))
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
    await expect(open(url)).rejects.toThrow('429')
    first.ws.close()
    await first.closed()
    await vi.waitFor(() => open(url))
    const all = await setup({ wsConnections: 0 })
    await expect(open(all.url)).rejects.toThrow('429')
  })

  test('error: handshakes that break off are not counted', async () => {
    const { port, url } = await setup({ wsConnectionsPerClient: 1 })
    for (let count = 0; count < 5; count++) {
      const socket = connect(port)
      // Neither key nor version: the handshake cannot be completed.
      socket.write(
        'GET /ws HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n',
      )
      await new Promise((resolve) => socket.resume().once('close', resolve))
    }
    await expect(vi.waitFor(() => open(url))).resolves.toBeDefined()
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
    await vi.waitFor(() => expect(ended).toHaveBeenCalled(), 5_000)
  })

  test('behavior: a client that asks without reading is not read further', async () => {
    const { clients, settled, url } = await setup({ wsBuffer: 100_000 })
    const { ws } = await open(url)
    ws.pause()
    for (let count = 0; count < 300; count++) ws.send(call('page', 1_000_000))
    await sleep(300)
    expect(clients.length).toBeLessThan(100)
    ws.resume()
    await vi.waitFor(() => expect(settled).toHaveLength(300), 10_000)
  })

  test('behavior: everybody is told when the server goes', async () => {
    const { close, url } = await setup()
    const { closed } = await open(url)
    await close()
    expect(await closed()).toEqual({ code: 1001, reason: 'server is shutting down' })
  })
})
