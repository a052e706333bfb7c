import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { NodeAnswerError, NodeTimeoutError, NodeUnreachableError } from '../errors.ts'
import { createFetchTransport } from './fetchTransport.ts'

let requests: IncomingMessage[] = []
/** Bytes of an endless answer that were sent. */
let sent = 0
let url: string
const server = createServer((request, response) => {
  requests.push(request)
  if (request.url?.endsWith('/slow')) return
  if (request.url?.endsWith('/getnowblock')) {
    const part = Buffer.alloc(1024 * 1024, ' ')
    const send = () => {
      if (response.destroyed) return
      sent += part.length
      response.write(part, send)
    }
    send()
    return
  }
  if (request.url?.endsWith('/broken') || (request.url?.endsWith('/once') && requests.length === 1))
    request.socket.destroy()
  else
    response
      .writeHead(request.url?.endsWith('/busy') ? 429 : 200)
      .end(`${request.method} ${request.url}`)
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  requests = []
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe('createFetchTransport', () => {
  test('args: the address of /wallet', async () => {
    const transport = createFetchTransport(`${url}/wallet`)
    expect(await transport.send('/wallet/x', '{}', { idempotent: true })).toMatchObject({
      text: 'POST /wallet/x',
    })
  })

  test('default', async () => {
    const transport = createFetchTransport(`${url}/key/`, { headers: { 'x-key': 'a' } })
    expect(await transport.send('/wallet/x', '{}', { idempotent: true })).toEqual({
      status: 200,
      text: 'POST /key/wallet/x',
    })
    expect(await transport.send('/wallet/busy', undefined, { idempotent: true })).toEqual({
      status: 429,
      text: 'GET /key/wallet/busy',
    })
    expect(requests[0]?.headers).toMatchObject({ 'x-key': 'a', 'content-type': 'application/json' })
    await transport.close()
  })

  test('behavior: a read is retried once, a broadcast is not', async () => {
    const transport = createFetchTransport(url)
    expect((await transport.send('/wallet/once', '{}', { idempotent: true })).status).toBe(200)
    requests = []
    const call = transport.send('/wallet/broken', '{}', { idempotent: false })
    await expect(call).rejects.toThrow(NodeUnreachableError)
    expect(requests).toHaveLength(1)
  })

  test('behavior: the query of the address goes with every call', async () => {
    const transport = createFetchTransport(`${url}/a/?key=b/`)
    expect(await transport.send('/wallet/x', '{}', { idempotent: true })).toMatchObject({
      text: 'POST /a/wallet/x?key=b/',
    })
  })

  test('behavior: an answer that a busy process reads late came in time', async () => {
    const transport = createFetchTransport(url, {
      timeout: 50,
      async fetch(_, options) {
        await stat('.')
        const late = stat('.')
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
        await late
        options?.signal?.throwIfAborted()
        return new Response('{}')
      },
    })
    const call = transport.send('/wallet/x', '{}', { idempotent: true })
    await expect(call).resolves.toEqual({ status: 200, text: '{}' })
  })

  test('behavior: abort', async () => {
    const controller = new AbortController()
    const call = createFetchTransport(url).send('/wallet/slow', '{}', {
      idempotent: true,
      signal: controller.signal,
    })
    controller.abort(new Error('gone'))
    await expect(call).rejects.toThrow('gone')
  })

  test('behavior: runs in a browser: imports nothing of Node', () => {
    const files = [
      'transport/fetchTransport',
      'client',
      'dedupe',
      'errors',
      'wire/json',
      'wire/normalize',
      'wire/builders',
      'wire/operation',
      'wire/operations',
    ]
    for (const file of files)
      expect(readFileSync(new URL(`../${file}.ts`, import.meta.url), 'utf8')).not.toMatch(
        /from '(?:node:|undici)/,
      )
  })

  test('error: an answer without an end', async () => {
    const call = createFetchTransport(url).send('/wallet/getnowblock', '{}', { idempotent: true })
    await expect(call).rejects.toThrow(NodeAnswerError)
    expect(requests).toHaveLength(1)
    // The limit for a block, and what the sockets hold.
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('error: a node that does not answer in time', async () => {
    const call = createFetchTransport(url, { timeout: 50 }).send('/wallet/slow', '{}', {
      idempotent: true,
    })
    await expect(call).rejects.toThrow(NodeTimeoutError)
  })
})
