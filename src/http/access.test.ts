import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'

import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

import { call, startHttpServer } from '../../test/support/httpServer.ts'
import type { Config } from '../config/config.ts'

const spending = (config: Partial<Config> = {}) => startHttpServer(config, {}, { canSpend: true })

type Sent = { headers?: Record<string, string>; method?: string; path?: string; address?: string }

/** Sends a request with exactly these headers, as a browser does and fetch does not allow. */
async function send(port: number, { address = '127.0.0.1', headers = {}, ...rest }: Sent = {}) {
  const body = ['GET', 'HEAD', 'OPTIONS'].includes(rest.method ?? '') ? '' : call('echo', 1)
  const outgoing = request({ method: 'POST', port, host: address, headers, agent: false, ...rest })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk as string
  return { status: incoming.statusCode, text, headers: incoming.headers }
}

/** The request of a page with `mode: 'no-cors'`. It has no preflight. */
const page = (origin: string, host: string): Sent => ({
  headers: { host, origin, 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' },
})

/** The status of a WebSocket handshake: 101 when it is accepted. */
async function handshake(port: number, headers: Record<string, string>): Promise<number> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers })
  onTestFinished(() => ws.terminate())
  return new Promise((resolve) => {
    ws.on('open', () => resolve(101))
    ws.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    ws.on('error', () => {})
  })
}

describe('where calls can spend', () => {
  test('default', async () => {
    const { port } = await spending()
    expect(await send(port)).toMatchObject({
      status: 200,
      text: '{"jsonrpc":"2.0","id":1,"result":1}',
    })
  })

  test('error: a page of another site, without a preflight', async () => {
    const { clients, port } = await spending()
    const { headers, status, text } = await send(
      port,
      page('https://evil.example', `127.0.0.1:${port}`),
    )
    expect(status).toBe(403)
    expect(JSON.parse(text)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32600,
        message:
          'pages of https://evil.example may not call this gateway: add the origin to --cors',
      },
    })
    expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(clients).toEqual([])
  })

  test.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://127.evil.example',
    'http://localhost@evil.example',
    'null',
    'file://',
    'https://10.0.0.1',
    'chrome-extension.evil.example',
    '',
  ])('error: origin %s', async (origin) => {
    const { port } = await spending()
    const headers = { host: `127.0.0.1:${port}`, origin }
    expect((await send(port, { headers })).status).toBe(403)
    expect((await send(port, { headers, method: 'OPTIONS' })).status).toBe(403)
    expect((await send(port, { headers, path: '/wallet/getnowblock' })).status).toBe(403)
    expect(await handshake(port, { origin })).toBe(403)
  })

  test.each([
    'http://localhost:5173',
    'https://localhost',
    'http://app.localhost:3000',
    'http://127.0.0.1:8080',
    'http://127.1.2.3',
    'http://[::1]:5173',
    'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
    'moz-extension://3c1e0e3c-9b5f-4c6a-8f8e-1d2f3a4b5c6d',
    'safari-web-extension://3C1E0E3C-9B5F-4C6A-8F8E-1D2F3A4B5C6D',
  ])('behavior: origin %s is allowed', async (origin) => {
    const { port } = await spending()
    const headers = { host: `localhost:${port}`, origin }
    const answer = await send(port, { headers })
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
    const preflight = await send(port, {
      headers: { ...headers, 'access-control-request-method': 'POST' },
      method: 'OPTIONS',
    })
    expect(preflight.headers['access-control-allow-origin']).toBe(origin)
    expect(await handshake(port, { origin })).toBe(101)
  })

  test.each([
    'evil.example',
    'evil.example:8545',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '[::2]',
    '[fe80::1]:8545',
    'localhost:80:80',
    'me@localhost',
  ])('error: Host %s', async (host) => {
    const { port } = await spending()
    expect((await send(port, { headers: { host } })).status).toBe(403)
    expect((await send(port, { headers: { host }, method: 'GET' })).status).toBe(403)
    expect(await handshake(port, { host })).toBe(403)
  })

  test.each([
    'localhost',
    'LOCALHOST:1',
    'localhost.',
    'app.localhost:65535',
    '127.0.0.1',
    '127.0.0.1:443',
    '127.9.9.9',
    '[::1]',
    '[::1]:8545',
  ])('behavior: Host %s is allowed', async (host) => {
    const { port } = await spending()
    expect((await send(port, { headers: { host } })).status).toBe(200)
    expect(await handshake(port, { host })).toBe(101)
  })

  test('behavior: other spellings of this machine', async () => {
    const { port } = await spending()
    for (const host of ['[0:0:0:0:0:0:0:1]:8545', '[::ffff:127.0.0.1]'])
      expect((await send(port, { headers: { host } })).status).toBe(200)
  })

  test('behavior: over IPv6', async () => {
    const { port } = await spending({ host: '::1' })
    const ask = (host: string) => send(port, { address: '::1', headers: { host } })
    expect((await ask(`[::1]:${port}`)).status).toBe(200)
    expect((await ask('evil.example')).status).toBe(403)
  })

  test('error: a host name that resolves to this machine (DNS rebinding)', async () => {
    const { port } = await spending()
    // The page and the request have one origin, so that a browser sends and shows everything.
    const rebound = `rebind.example:${port}`
    const { status, text } = await send(port, page(`http://${rebound}`, rebound))
    expect(status).toBe(403)
    expect(text).toContain('is not a name of this gateway: add it to --allowed-hosts')
    expect(await handshake(port, { host: rebound, origin: `http://${rebound}` })).toBe(403)
    const target = `http://${rebound}/`
    expect((await send(port, { path: target })).status).toBe(403)
  })

  test('error: an image or link of another site, which carries no origin', async () => {
    const { port } = await spending()
    const headers = { 'sec-fetch-site': 'cross-site' }
    const path = '/wallet/broadcasthex?transaction=00'
    expect((await send(port, { headers, method: 'GET', path })).status).toBe(403)
    expect((await send(port, { headers, method: 'GET', path: '/' })).status).toBe(403)
    const link = { ...headers, 'sec-fetch-mode': 'navigate' }
    expect((await send(port, { headers: link, method: 'GET', path })).status).toBe(403)
    expect((await send(port, { headers: link, method: 'GET', path: '/' })).status).toBe(200)
  })

  test('args: --cors and --allowed-hosts', async () => {
    const { port } = await spending({
      allowedHosts: 'rpc.example',
      cors: 'https://app.example,https://b.example',
    })
    const headers = { host: 'rpc.example:8545', origin: 'https://app.example' }
    expect((await send(port, { headers })).headers['access-control-allow-origin']).toBe(
      'https://app.example',
    )
    expect(await handshake(port, headers)).toBe(101)
    const own = { host: 'rpc.example:8545', origin: 'https://rpc.example:8545' }
    expect((await send(port, { headers: own })).status).toBe(200)
    expect(await handshake(port, { ...headers, origin: 'https://c.example' })).toBe(403)
    expect(await handshake(port, { ...headers, host: 'evil.example' })).toBe(403)
  })

  test('args: * for both', async () => {
    const { port } = await spending({ allowedHosts: '*', cors: '*' })
    const { headers, status } = await send(port, page('https://any.example', 'any.example'))
    expect(status).toBe(200)
    expect(headers['access-control-allow-origin']).toBe('*')
  })

  test('behavior: probes are answered under any name', async () => {
    const { port } = await spending()
    for (const path of ['/health', '/ready', '/metrics'])
      for (const method of ['GET', 'HEAD'])
        expect((await send(port, { headers: { host: 'lb' }, method, path })).status).toBe(200)
  })

  test('behavior: an address as Host, where the gateway listens on all of them', async () => {
    const { port } = await spending({ host: '0.0.0.0' })
    for (const host of ['192.0.2.7', '192.0.2.7:8545', '[2001:db8::1]:8545'])
      expect([host, (await send(port, { headers: { host } })).status]).toEqual([host, 200])
    expect((await send(port, { headers: { host: 'rebind.example' } })).status).toBe(403)
  })
})

describe('where calls cannot spend', () => {
  test('behavior: without keys, every origin and host may read', async () => {
    const { port } = await startHttpServer()
    const { headers, status } = await send(port, page('https://app.example', 'rpc.example'))
    expect(status).toBe(200)
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(await handshake(port, { host: 'rpc.example', origin: 'https://app.example' })).toBe(101)
  })

  test('args: --cors keeps other pages out, over WebSocket too', async () => {
    const { port } = await startHttpServer({ cors: 'https://app.example' })
    expect(await handshake(port, { origin: 'https://app.example' })).toBe(101)
    expect(await handshake(port, { origin: 'https://evil.example' })).toBe(403)
    expect((await send(port, page('https://evil.example', 'rpc.example'))).status).toBe(403)
    expect((await send(port, page('https://rpc.example', 'rpc.example'))).status).toBe(200)
  })

  test('args: --allowed-hosts keeps other names out', async () => {
    const { port } = await startHttpServer({ allowedHosts: 'rpc.example' })
    expect((await send(port, { headers: { host: 'rpc.example' } })).status).toBe(200)
    expect((await send(port, { headers: { host: 'evil.example' } })).status).toBe(403)
  })

  test('error: two different Host headers', async () => {
    const { port } = await startHttpServer()
    const statusOf = async (...hosts: string[]) => {
      const socket = connect(port, '127.0.0.1')
      const lines = hosts.map((host) => `Host: ${host}\r\n`).join('')
      socket.write(`GET /ready HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)
      let text = ''
      for await (const chunk of socket.setEncoding('utf8')) text += chunk as string
      return text.split('\r\n')[0]
    }
    expect(await statusOf('a', 'b')).toBe('HTTP/1.1 400 Bad Request')
    expect(await statusOf('a', 'a')).toBe('HTTP/1.1 200 OK')
  })
})
