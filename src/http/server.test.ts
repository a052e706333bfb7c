import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'

import { describe, expect, onTestFinished, test } from 'vitest'

import { call, HEALTH, limitsOf, startHttpServer as setup } from '../../test/support/httpServer.ts'
import { until } from '../../test/support/until.ts'
import { createCallLimits } from '../limits/limits.ts'

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

  test.each([1_000, 65_000, 66_000, 1_300_000, 5_000_000])(
    'behavior: a result of %s bytes',
    async (bytes) => {
      const { post } = await setup()
      const response = await post(call('big', bytes))
      const text = await response.text()
      expect(text).toHaveLength(Number(response.headers.get('content-length')))
      expect((JSON.parse(text) as { result: string }).result).toHaveLength(bytes - 2)
    },
  )

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
    expect(await response.json()).toMatchObject({
      id: null,
      error: { code: -32700, message: 'Parse error: the body is not UTF-8' },
    })
  })

  test('error: a body in an unknown coding', async () => {
    const { post } = await setup()
    const body = new Uint8Array(gzipSync(call('echo')))
    const response = await post(body, { headers: { 'content-encoding': 'snappy' } })
    expect([response.status, response.headers.get('accept-encoding')]).toEqual([
      415,
      'br, deflate, gzip, x-gzip',
    ])
    expect(await response.json()).toMatchObject({
      id: null,
      error: {
        code: -32700,
        message:
          'Parse error: a request body with content-encoding snappy is not supported or broken',
      },
    })
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

describe('clients', () => {
  test.each([
    [0, '1.1.1.1', /^(::ffff:)?127\.0\.0\.1$/],
    [1, undefined, /^(::ffff:)?127\.0\.0\.1$/],
    [1, '1.1.1.1, 2.2.2.2', /^2\.2\.2\.2$/],
    [2, '1.1.1.1, 2.2.2.2', /^1\.1\.1\.1$/],
    // The port differs for each connection.
    [1, '1.1.1.1:50001', /^1\.1\.1\.1$/],
    [1, '[2001:db8::1]:50001', /^2001:db8:0:0::\/64$/],
    [1, '2001:db8::1', /^2001:db8:0:0::\/64$/],
    [1, 'any text', /^(::ffff:)?127\.0\.0\.1$/],
  ])('behavior: trusting %s proxies with %s', async (trustProxy, forwarded, expected) => {
    const { clients, post } = await setup({ trustProxy })
    await post(call('page', 10), { headers: forwarded ? { 'x-forwarded-for': forwarded } : {} })
    expect(clients[0]).toMatch(expected)
  })

  test('behavior: what a proxy adds after thousands of headers counts', async () => {
    const { clients, port } = await setup({ trustProxy: 1 })
    const socket = connect(port, '127.0.0.1')
    const body = call('page', 10)
    const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n`
    const last = 'x-forwarded-for: 203.0.113.7\r\nconnection: close\r\n\r\n'
    socket.write(`${head}${'a:\r\n'.repeat(2_500)}${last}${body}`)
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 200 /)
    expect(clients).toEqual(['203.0.113.7'])
  })
})

test('behavior: large requests that are refused cost what they make the gateway read', async () => {
  const limits = createCallLimits({
    anonymous: true,
    apiKeys: undefined,
    isBusy: () => false,
    limits: { rate: 0.001, burst: 20 },
    link: undefined,
    log: { error() {}, info() {}, warn() {} },
    onRefused() {},
    targetOf: () => undefined,
    withoutRedis: 'local',
  })
  onTestFinished(() => limits.stop())
  const { post } = await setup({ batchLimit: 10 }, {}, { limits })
  const caller = limits.callerOf({ address: '127.0.0.1', key: undefined, origin: undefined })
  const left = async () => Number((await limits.state(caller)).remaining)
  const batch = `[${Array.from({ length: 20_000 }, () => call('echo', 'x'.repeat(60))).join(',')}]`
  await post(batch)
  expect(await left()).toBeLessThan(20 - batch.length / 2 ** 20)
  expect(await left()).toBeGreaterThan(15)
  for (const [body, headers] of [
    ['[]', {}],
    ['['.repeat(40) + ']'.repeat(40), {}],
    ['{', {}],
    [new Uint8Array([0xff]), {}],
    ['no gzip', { 'content-encoding': 'gzip' }],
  ] as const) {
    const before = await left()
    await post(body, { headers })
    expect(await left()).toBeLessThan(before - 0.04)
  }
  // A small body that unpacks to more than the limit.
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(8 * 2 ** 20)))
  const charged = await left()
  await post(bomb, { headers: { 'content-encoding': 'gzip' } })
  expect(await left()).toBeLessThan(charged - 1)
  // In debt, a body is not even unpacked.
  limits.charge(caller, 100)
  await post(call('echo', 1))
  const before = await left()
  const refused = await post(new Uint8Array(gzipSync(batch)), {
    headers: { 'content-encoding': 'gzip' },
  })
  expect(refused.status).toBe(429)
  expect(await left()).toBeCloseTo(before, 1)
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
    const { url } = await setup({}, { status: 'degraded', reasons: ['Redis is unreachable'] })
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  test('behavior: routes beside', async () => {
    const { url } = await setup()
    const response = await fetch(`${url}/wallet/getnowblock`, { method: 'POST' })
    expect(await response.json()).toEqual({ blockID: '00' })
  })

  test('error: unknown path, wrong HTTP method', async () => {
    const { url } = await setup()
    expect((await fetch(`${url}/nope`)).status).toBe(404)
    expect((await fetch(`${url}/nope`, { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${url}/jsonrpc`)).status).toBe(405)
    expect((await fetch(url, { method: 'PUT' })).status).toBe(405)
  })
})

test('behavior: a page whose client has gone before the limits are read does not count as in flight', async () => {
  const limits = limitsOf({ limits: { concurrency: 1, rate: 1_000 } })
  let admit = () => {}
  const slow: typeof limits = {
    ...limits,
    async enter(...call) {
      await new Promise<void>((resolve) => (admit = resolve))
      return limits.enter(...call)
    },
  }
  const { port, url } = await setup({}, {}, { limits: slow })
  const before = admit
  const client = connect(port, '127.0.0.1', () =>
    client.write('GET /none HTTP/1.1\r\nHost: x\r\n\r\n'),
  )
  await until(() => expect(admit).not.toBe(before))
  const first = admit
  client.destroy()
  await new Promise((resolve) => client.once('close', resolve))
  // The server notices it a little later.
  await new Promise((resolve) => setTimeout(resolve, 50))
  first()
  const answer = fetch(`${url}/none`)
  await until(() => expect(admit).not.toBe(first))
  admit()
  expect((await answer).status).toBe(404)
})
