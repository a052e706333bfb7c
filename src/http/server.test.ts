import { once } from 'node:events'
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http'
import { connect } from 'node:net'

import { describe, expect, onTestFinished, test } from 'vitest'

import { call, HEALTH, startHttpServer as setup } from '../../test/httpServer.ts'
import { until } from '../../test/until.ts'

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
      'server-timing': expect.stringMatching(/^total;dur=[\d.]+$/),
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

  test('error: a body that is not UTF-8', async () => {
    const { post } = await setup()
    const body = new Blob([Buffer.from(call('echo', '\u00e9'), 'latin1')]).stream()
    const response = await post(body, { duplex: 'half' })
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32700 } })
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

/** Requests as bytes on the wire, to be written at once. */
const pipelined = (bodies: string[]) =>
  bodies
    .map((body) => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    .join('')

const numbered = (id: number, method: string, ...params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

describe('many requests on one connection', () => {
  test('behavior: one is worked on at a time', async () => {
    const { clients, port, release } = await setup()
    const socket = connect(port)
    let received = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
    socket.write(pipelined(Array.from({ length: 1_000 }, (_, id) => numbered(id, 'wait'))))
    await until(() => expect(clients).toHaveLength(1))
    // Another client is served after all that the first has sent could have been read.
    const other = connect(port)
    onTestFinished(() => void other.destroy())
    for (let id = 0; id < 20; id++) {
      other.write(pipelined([numbered(id, 'echo')]))
      await new Promise((resolve) => other.once('data', resolve))
    }
    expect(clients).toHaveLength(1)
    release()
    await until(() => expect(received.match(/"id":\d+/g)).toHaveLength(1_000))
    const ids = [...received.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id))
    expect(ids).toEqual(Array.from({ length: 1_000 }, (_, id) => id))
    socket.destroy()
  })

  test('behavior: a body that comes after others waited is read', async () => {
    const { port, release, clients } = await setup()
    const socket = connect(port)
    let received = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
    const text = pipelined([
      numbered(1, 'wait'),
      numbered(2, 'echo'),
      numbered(3, 'echo', 'x'.repeat(200_000)),
      numbered(4, 'echo'),
    ])
    socket.write(text.slice(0, 1_000))
    await until(() => expect(clients).toHaveLength(1))
    socket.write(text.slice(1_000))
    release()
    await until(() => expect(received).toContain('"id":4'))
    expect([...received.matchAll(/"id":(\d+)/g)].map(([, id]) => id)).toEqual(['1', '2', '3', '4'])
    socket.destroy()
  })

  test('behavior: nothing that waits is begun when the client has gone', async () => {
    const { clients, port, release, deliveries } = await setup()
    const socket = connect(port)
    socket.write(pipelined(Array.from({ length: 50 }, (_, id) => numbered(id, 'page', 30_000_000))))
    await new Promise((resolve) => socket.once('data', resolve))
    socket.resetAndDestroy()
    await until(() => expect(deliveries).toEqual([false]))
    release()
    expect(clients).toHaveLength(1)
  })
})

describe('readers that do not read', () => {
  /** Asks for a large answer and takes only its beginning. */
  async function stall(port: number, bytes: number) {
    const socket = connect(port)
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write(pipelined([numbered(1, 'page', bytes)]))
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    return socket
  }

  test('behavior: are cut when they take nothing', async () => {
    const { port, deliveries } = await setup({}, {}, { interval: 5, patience: 20 })
    await stall(port, 30_000_000)
    await until(() => expect(deliveries).toEqual([false]))
  })

  test('behavior: are not cut while they take something', async () => {
    const { port, deliveries, unsent } = await setup({}, {}, { interval: 5, patience: 1_000 })
    const socket = await stall(port, 30_000_000)
    let taken = 0
    socket.on('data', (chunk: Buffer) => {
      taken += chunk.length
    })
    socket.resume()
    await until(() => expect(deliveries).toEqual([true]))
    await until(() => expect(taken).toBeGreaterThan(29_000_000))
    expect(unsent.bytes()).toBe(0)
  })

  test('error: others get no large answer when too much waits, and small ones always', async () => {
    const { port, post, deliveries } = await setup({ unsentBytes: 40_000_000 })
    await stall(port, 30_000_000)
    expect(await (await post(call('page', 30_000_000))).json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32005, message: 'too many answers wait for their readers, try again later' },
    })
    expect(deliveries).toEqual([false])
    expect((await (await post(call('page', 1_000))).text()).length).toBeGreaterThan(1_000)
  })

  test('behavior: are cut sooner when too much waits', async () => {
    const { port, post, deliveries } = await setup(
      { unsentBytes: 40_000_000 },
      {},
      { shortPatience: 0 },
    )
    await stall(port, 30_000_000)
    expect(await (await post(call('page', 30_000_000))).text()).toHaveLength(30_000_034)
    await until(() => expect(deliveries).toEqual([false, true]))
  })
})

describe('settling', () => {
  test.each([100, 1_000_000])('behavior: delivered, %s bytes', async (bytes) => {
    const { post, deliveries } = await setup()
    await (await post(call('page', bytes))).text()
    await until(() => expect(deliveries).toEqual([true]))
  })

  test('behavior: delivered on a connection that closes with the answer', async () => {
    const { post, deliveries } = await setup()
    await (await post(call('page', 100), { headers: { connection: 'close' } })).text()
    await until(() => expect(deliveries).toEqual([true]))
  })

  test('behavior: the client goes while the method runs', async () => {
    const { aborted, clients, port, release, deliveries } = await setup()
    const outgoing = httpRequest({ method: 'POST', port })
    outgoing.on('error', () => {})
    outgoing.end(call('wait'))
    await until(() => expect(clients).toHaveLength(1))
    outgoing.destroy()
    await until(() => expect(aborted).toEqual([true]))
    release()
    await until(() => expect(deliveries).toEqual([false]))
  })

  test.each(['reset', 'end'] as const)(
    'behavior: the client takes only part of the answer: %s',
    async (way) => {
      const { port, deliveries } = await setup()
      const body = call('page', 30_000_000)
      const socket = connect(port)
      socket.on('error', () => {})
      socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      await new Promise((resolve) => socket.once('data', resolve))
      socket.pause()
      expect(deliveries).toEqual([])
      if (way === 'reset') socket.resetAndDestroy()
      else socket.destroy()
      await until(() => expect(deliveries).toEqual([false]))
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

  test('behavior: without a page, / says what is served where', async () => {
    const { url } = await setup()
    const response = await fetch(url, { headers: { accept: 'text/html' } })
    expect(await response.json()).toMatchObject({ name: 'ethgate', chainId: '0x1' })
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

  test('behavior: a health check over HTTP/1.0, without Host', async () => {
    const { port } = await setup()
    const socket = connect(port)
    socket.write('GET /ready HTTP/1.0\r\n\r\n')
    let text = ''
    for await (const chunk of socket.setEncoding('utf8')) text += chunk as string
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
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
    const { clients, close, post, release } = await setup()
    const answer = post(call('wait'))
    await until(() => expect(clients).toHaveLength(1))
    const closed = close()
    await expect(post(call('echo'))).rejects.toThrow('fetch failed')
    release()
    expect(await (await answer).text()).toBe('{"jsonrpc":"2.0","id":1,"result":"done"}')
    await closed
  })

  test('behavior: during the delay requests are answered, and their connections closed', async () => {
    const { clients, close, port, post, release, url } = await setup()
    const idle = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = async () => {
      const outgoing = httpRequest({ agent: idle, method: 'POST', port })
      outgoing.end(call('echo', 1))
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      return incoming.resume().headers.connection
    }
    expect(await ask()).toBe('keep-alive')
    const underWay = post(call('wait'))
    await until(() => expect(clients).toHaveLength(1))
    const closed = close({ delay: 500 })
    expect(await ask()).toBe('close')
    expect((await post(call('echo', 1))).headers.get('connection')).toBe('close')
    expect((await fetch(`${url}/ready`)).headers.get('connection')).toBe('close')
    release()
    const answer = await underWay
    expect([answer.headers.get('connection'), await answer.text()]).toEqual([
      'close',
      '{"jsonrpc":"2.0","id":1,"result":"done"}',
    ])
    await closed
    await expect(post(call('echo', 1))).rejects.toThrow('fetch failed')
  })

  test('behavior: the delay takes half of the time at most', async () => {
    const { close, url } = await setup({ drain: 20 })
    await fetch(url)
    await close({ delay: 600_000 })
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  test('behavior: what takes too long is cut', async () => {
    const { clients, close, post } = await setup({ drain: 50 })
    const answer = post(call('wait')).catch((error: unknown) => error)
    await until(() => expect(clients).toHaveLength(1))
    await close()
    expect(await answer).toBeInstanceOf(TypeError)
  })
})
