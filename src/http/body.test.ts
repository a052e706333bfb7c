import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'

import { describe, expect, onTestFinished, test } from 'vitest'

import { call, limitsOf, startHttpServer as setup } from '../../test/support/httpServer.ts'
import { until } from '../../test/support/until.ts'
import { BodyTooLargeError, collectBytes, textOf, TooMuchHeldError } from '../lib/bodyText.ts'
import { createHeldBytes } from '../lib/heldBytes.ts'
import { IN_PROCESS } from '../limits/caller.ts'
import { createUnpack } from './unpack.ts'

const plenty = { take: () => true }

describe('collectBytes', () => {
  test('default', () => {
    const collected = collectBytes(100, plenty)
    for (const part of ['a', 'bc', '', 'def']) void collected.add(Buffer.from(part))
    expect(collected.whole().toString()).toBe('abcdef')
  })

  test('behavior: parts of one byte take no more memory than they have bytes, twice', () => {
    const held = createHeldBytes({ limit: 10_000_000, share: 10_000_000 })
    const collected = collectBytes(1_000_000, held.hold('a', 'bodies'))
    const part = Buffer.from('x')
    // While a body of tiny parts waits for its turns, more parts are read.
    const waiting = 4 * 1024 * 1024
    for (let at = 0; at < 100_000; at++) void collected.add(part)
    expect(held.total() - waiting).toBeGreaterThanOrEqual(100_000)
    expect(held.total() - waiting).toBeLessThan(200_000)
  })

  test('error: over the limit, and over what may be held', () => {
    expect(() => collectBytes(3, plenty).add(Buffer.from('abcd'))).toThrow(BodyTooLargeError)
    expect(() => collectBytes(3, { take: () => false }).add(Buffer.from('a'))).toThrow(
      TooMuchHeldError,
    )
  })

  test('behavior: bodies of pages and operations are held too', async () => {
    const held = createHeldBytes({ limit: 10_000, share: 10_000 })
    const hold = held.hold('a', 'bodies')
    const request = (text: string) => new Request('http://x', { method: 'POST', body: text })
    expect(await textOf(request('text'), 10, hold)).toBe('text')
    expect(held.total()).toBe(10)
    expect(await textOf(request('x'.repeat(11)), 10, hold)).toBeUndefined()
    await expect(textOf(request('x'.repeat(20_000)), 100_000, hold)).rejects.toThrow(
      TooMuchHeldError,
    )
  })
})

/** Sends the head and a part of a body. */
function begin(port: number, sent: string, path = '/') {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => (received += text))
  socket.on('error', () => {})
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
  socket.write(sent)
  onTestFinished(() => void socket.destroy())
  return { received: () => received, socket }
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

describe('a body that arrives slowly', () => {
  test('behavior: is held until its request has ended', async () => {
    const { held, port } = await setup()
    const { received, socket } = begin(port, chunk('x').repeat(10_000))
    await until(() => expect(held.total('bodies')).toBeGreaterThan(10_000))
    socket.write('0\r\n\r\n')
    await until(() => expect(received()).toContain('HTTP/1.1 200'))
    await until(() => expect(held.total()).toBe(0))
  })

  test('behavior: is given back when its client goes', async () => {
    const { held, port } = await setup()
    const { socket } = begin(port, chunk('x'.repeat(10_000)))
    await until(() => expect(held.total('bodies')).toBeGreaterThan(0))
    socket.destroy()
    await until(() => expect(held.total()).toBe(0))
  })

  test('error: over what one client may hold; others are served', async () => {
    const { held, port, post } = await setup({ heldBytes: 1024 * 1024, trustProxy: 1 })
    const first = begin(port, chunk('x'.repeat(400_000)))
    await until(() => expect(held.total('bodies')).toBeGreaterThan(300_000))
    const second = begin(port, chunk('x'.repeat(400_000)))
    await until(() => expect(second.received()).toMatch(/^HTTP\/1.1 429 .*"code":-32005/s))
    expect(first.received()).toBe('')
    const body = call('echo', 'x'.repeat(200_000))
    const other = new ReadableStream({
      start(controller) {
        for (let at = 0; at < body.length; at += 50_000)
          controller.enqueue(Buffer.from(body.slice(at, at + 50_000)))
        controller.close()
      },
    })
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    expect((await post(other, { duplex: 'half', headers })).status).toBe(200)
  })
})

describe('compressed bodies', () => {
  test.each(['gzip', 'x-gzip', 'GZIP', 'identity'])('args: %s', async (coding) => {
    const { held, post } = await setup()
    const text = call('echo', 1)
    const body = coding === 'identity' ? text : new Uint8Array(gzipSync(text))
    const response = await post(body, { headers: { 'content-encoding': coding } })
    expect(await response.text()).toBe('{"jsonrpc":"2.0","id":1,"result":1}')
    expect(held.total()).toBe(0)
  })

  test.each(['/', '/wallet/getnowblock'])('error: an unknown coding at %s', async (path) => {
    const { post } = await setup()
    const headers = { 'content-encoding': 'gzip, br' }
    expect((await post('x', { headers }, path)).status).toBe(415)
  })

  test('behavior: as many at once as there are threads, the callers in turn, and charged before', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000))
    const held = createHeldBytes({ limit: 1e9, share: 1e9 })
    const charged: string[] = []
    const limits = {
      charge: ({ id }: { id: string }, units: number) => {
        if (units > 0) charged.push(id)
        running.push(held.total('unpacked bodies'))
      },
      refusal: () => undefined,
    }
    const running: number[] = []
    const unpack = createUnpack({ config: { bodyLimit: 1_000_000 }, held, limits })
    const one = (id: string) =>
      unpack({ bytes: bomb, hold: undefined }, 'gzip', { ...IN_PROCESS, id })
    const many = Array.from({ length: 40 }, () => one('many'))
    const other = one('other')
    expect((await other).bytes.length).toBe(1_000_000)
    // It waited for those that ran, not for those that waited.
    expect(charged.indexOf('other')).toBeLessThan(8)
    expect(charged.length).toBeLessThan(20)
    await Promise.all(many)
    expect(held.total()).toBe(41_000_000)
  })

  test('error: a caller in debt has nothing unpacked', async () => {
    const limits = limitsOf({ limits: { rate: 0.001, burst: 20 } })
    const { held, post } = await setup({}, {}, { limits })
    const caller = limits.callerOf({ address: '127.0.0.1', key: undefined, origin: undefined })
    limits.charge(caller, 100)
    const body = new Uint8Array(gzipSync(call('echo', 1)))
    const response = await post(body, { headers: { 'content-encoding': 'gzip' } })
    expect(response.status).toBe(429)
    expect(held.total()).toBe(0)
  })
})
