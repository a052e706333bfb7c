import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'

import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

import { call, startHttpServer as setup } from '../../test/support/httpServer.ts'

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe('admin port', () => {
  test('default', async () => {
    const { adminPort, post, url } = await setup({ adminPort: 0 })
    const admin = `http://127.0.0.1:${adminPort()}`
    expect((await fetch(`${admin}/metrics`)).status).toBe(200)
    expect((await fetch(`${admin}/health`)).status).toBe(200)
    for (const path of ['/metrics', '/metrics/', '/state', '/page/state', '/metrics?x=1'])
      expect((await fetch(url + path)).status).toBe(404)
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect((await post(call('echo', 1))).status).toBe(200)
    expect((await fetch(admin, { method: 'POST', body: call('echo', 1) })).status).toBe(405)
    // It has no callers who could pay for calls of the node.
    expect((await fetch(`${url}/wallet/getnowblock`)).status).toBe(200)
    expect((await fetch(`${admin}/wallet/getnowblock`)).status).toBe(404)
  })

  test('behavior: a WebSocket handshake is answered as a request without one, and counts as no socket', async () => {
    const { adminPort, url } = await setup({ adminPort: 0, wsConnections: 1 })
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    }
    const outgoing = plainRequest({ host: '127.0.0.1', port: adminPort(), headers }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    incoming.resume()
    expect(incoming.statusCode).toBeLessThan(500)
    const socket = new WebSocket(url.replace('http', 'ws'))
    onTestFinished(() => socket.terminate())
    await once(socket, 'open')
    // A connection above the limit is closed after it was opened.
    socket.send(call('echo', 1))
    expect(String((await once(socket, 'message'))[0])).toContain('"result":1')
  })

  test('behavior: no spelling of a path reaches what only the admin port serves', async () => {
    const { port } = await setup({ adminPort: 0 })
    // fetch would write these paths in the usual way.
    const statusOf = async (path: string) => {
      const outgoing = plainRequest({ agent: false, host: '127.0.0.1', path, port })
      outgoing.end()
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      incoming.resume()
      return incoming.statusCode
    }
    expect(await statusOf('/./health')).toBe(200)
    for (const path of [
      '/./metrics',
      '/x/../metrics',
      '/%6detrics',
      '/%2e/metrics',
      '/\\metrics',
      '//metrics',
      '/k/any/metrics',
      '/k/any/./metrics',
      '/k/any/%6detrics/',
      '/k/any/k/any/metrics',
      `http://127.0.0.1:${port}/metrics`,
      `http://127.0.0.1:${port}/k/any/metrics`,
      '/page/./state',
    ])
      expect([path, await statusOf(path)]).toEqual([path, 404])
  })

  test('error: pages of other sites read nothing of it, also by DNS rebinding', async () => {
    const { adminPort } = await setup({ adminPort: 0 })
    const ask = async (path: string, headers: Record<string, string>) => {
      const to = { agent: false, host: '127.0.0.1', path, port: adminPort() }
      const outgoing = plainRequest({ ...to, headers })
      outgoing.end()
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      incoming.resume()
      return [incoming.statusCode, incoming.headers['access-control-allow-origin']]
    }
    const evil = 'https://evil.example'
    expect(await ask('/', { origin: evil })).toEqual([403, undefined])
    expect(await ask('/', { host: 'evil.example' })).toEqual([403, undefined])
    expect(await ask('/metrics', { origin: evil })).toEqual([200, undefined])
    // Prometheus uses any name.
    expect(await ask('/metrics', { host: 'gateway.internal' })).toEqual([200, undefined])
    expect(await ask('/', {})).toEqual([200, undefined])
  })

  test('behavior: without one the public port has everything', async () => {
    const { adminPort, url } = await setup()
    expect(adminPort()).toBeUndefined()
    expect((await fetch(`${url}/metrics`)).status).toBe(200)
  })
})

describe.skipIf(!hasOpenssl)('TLS', () => {
  function certificate(folder: string, name: string) {
    const files = ['key', 'cert'].map((part) => join(folder, `${name}.${part}`))
    const subject = ['-subj', `/CN=${name}`]
    const type = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const out = ['-keyout', files[0] ?? '', '-out', files[1] ?? '']
    execFileSync('openssl', ['req', ...type, ...subject, ...out], { stdio: 'ignore' })
    return { tlsKey: files[0] ?? '', tlsCert: files[1] ?? '' }
  }

  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'ethgate-tls-'))
    onTestFinished(() => rmSync(path, { recursive: true }))
    return path
  }

  async function commonName(url: string): Promise<string> {
    const outgoing = request(`${url}/health`, { agent: false, rejectUnauthorized: false })
    outgoing.end()
    const [response] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream]
    response.resume()
    return String((outgoing.socket as TLSSocket).getPeerCertificate().subject.CN)
  }

  test('default: HTTPS and WSS, with a new certificate when the files change', async () => {
    const path = folder()
    const files = certificate(path, 'first')
    const next = certificate(path, 'second')
    const { url } = await setup(files)
    expect(url).toMatch(/^https:/)
    expect(await commonName(url)).toBe('first')
    const ws = new WebSocket(url.replace('https', 'wss'), { rejectUnauthorized: false })
    await once(ws, 'open')
    ws.send(call('echo', 'over TLS'))
    expect(String((await once(ws, 'message'))[0])).toContain('over TLS')
    copyFileSync(next.tlsKey, files.tlsKey)
    copyFileSync(next.tlsCert, files.tlsCert)
    await expect.poll(() => commonName(url)).toBe('second')
    ws.terminate()
  })

  test('error: files that cannot be used', async () => {
    const files = certificate(folder(), 'first')
    const other = certificate(folder(), 'other')
    await expect(setup({ tlsCert: files.tlsCert })).rejects.toThrow('needs --tls-key')
    await expect(setup({ ...files, tlsKey: other.tlsKey })).rejects.toThrow(
      '--tls-cert: cannot be used',
    )
    await expect(setup({ ...files, tlsCert: '/nowhere' })).rejects.toThrow(
      '--tls-cert: cannot be used',
    )
  })
})
