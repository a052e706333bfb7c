import { once } from 'node:events'
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http'
import { connect } from 'node:net'

import { describe, expect, onTestFinished, test } from 'vitest'

import { call, limitsOf, startHttpServer as setup } from '../../test/support/httpServer.ts'
import { until } from '../../test/support/until.ts'

/** Requests as bytes on the wire, to be written at once. */
const pipelined = (bodies: string[]) =>
  bodies
    .map((body) => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    .join('')

const numbered = (id: number, method: string, ...params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

describe('many requests on one connection', () => {
  test('behavior: one runs at a time', async () => {
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

  test('behavior: a body that arrives after other requests waited is read', async () => {
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

  test('error: requests that waited are refused when the units of the caller are used up', async () => {
    const { port } = await setup(
      {},
      {},
      { limits: limitsOf({ limits: { rate: 0.001, burst: 0.2 } }) },
    )
    const socket = connect(port)
    let received = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
    socket.write(pipelined(Array.from({ length: 100 }, (_, id) => numbered(id, 'echo'))))
    await until(() => expect(received.match(/HTTP\/1.1 \d+/g)).toHaveLength(100))
    expect(received).toContain('HTTP/1.1 200')
    expect(received).toMatch(/HTTP\/1.1 429[^{]*{[^{]*{"code":-32005/)
    socket.destroy()
  })

  test('behavior: waiting work does not start after the client has disconnected', async () => {
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

  test('behavior: are disconnected when they read nothing', async () => {
    const { port, deliveries } = await setup({}, {}, { interval: 5, stallTimeout: 20 })
    await stall(port, 30_000_000)
    await until(() => expect(deliveries).toEqual([false]))
  })

  test('behavior: are not disconnected while they read', async () => {
    const { port, deliveries, unsent } = await setup({}, {}, { interval: 5 })
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

  test('error: while too many bytes are unread, others get small answers only', async () => {
    const { port, post, deliveries } = await setup({ unsentBytes: 40_000_000 })
    await stall(port, 30_000_000)
    expect(await (await post(call('page', 30_000_000))).json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32005, message: 'too many responses wait for slow readers, try again later' },
    })
    expect(deliveries).toEqual([false])
    expect((await (await post(call('page', 1_000))).text()).length).toBeGreaterThan(1_000)
  })

  test('behavior: are disconnected sooner while too many bytes are unread', async () => {
    const { port, post, deliveries } = await setup(
      { unsentBytes: 40_000_000 },
      {},
      { shortStallTimeout: 0 },
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

describe('closing', () => {
  test('behavior: requests in flight finish, and new ones are not accepted', async () => {
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
    let endDelay = () => {}
    const delay = new Promise<void>((resolve) => (endDelay = resolve))
    const { clients, close, port, post, release, url } = await setup({}, {}, { sleep: () => delay })
    const idle = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = async () => {
      const outgoing = httpRequest({ agent: idle, method: 'POST', port })
      outgoing.end(call('echo', 1))
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      return incoming.resume().headers.connection
    }
    expect(await ask()).toBe('keep-alive')
    const inFlight = post(call('wait'))
    await until(() => expect(clients).toHaveLength(1))
    const closed = close({ delay: 500 })
    expect(await ask()).toBe('close')
    expect((await post(call('echo', 1))).headers.get('connection')).toBe('close')
    expect((await fetch(`${url}/ready`)).headers.get('connection')).toBe('close')
    release()
    const answer = await inFlight
    expect([answer.headers.get('connection'), await answer.text()]).toEqual([
      'close',
      '{"jsonrpc":"2.0","id":1,"result":"done"}',
    ])
    endDelay()
    await closed
    await expect(post(call('echo', 1))).rejects.toThrow('fetch failed')
  })

  test('behavior: with a successor, an idle connection is answered once more, and new ones are not accepted', async () => {
    const { close, port, post } = await setup({ drain: 60_000 })
    const idle = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = async () => {
      const outgoing = httpRequest({ agent: idle, method: 'POST', port })
      outgoing.end(call('echo', 1))
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      await once(incoming.resume(), 'end')
      return incoming.headers.connection
    }
    expect(await ask()).toBe('keep-alive')
    const closed = close({ isReplaced: true })
    await expect(post(call('echo'))).rejects.toThrow('fetch failed')
    expect(await ask()).toBe('close')
    // It does not wait for the end of the drain.
    await closed
  })

  test('behavior: with a successor, a connection that stays idle is closed', async () => {
    const { close, port } = await setup({ drain: 200 })
    const socket = connect(port)
    await once(socket, 'connect')
    await close({ isReplaced: true })
    await until(() => expect(socket.closed || socket.readableEnded || socket.destroyed).toBe(true))
    socket.destroy()
  })

  test('behavior: the delay takes half of the time at most', async () => {
    const { close, url } = await setup({ drain: 20 })
    await fetch(url)
    await close({ delay: 600_000 })
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  test('behavior: requests that take longer than the limit are aborted', async () => {
    const { clients, close, post } = await setup({ drain: 50 })
    const answer = post(call('wait')).catch((error: unknown) => error)
    await until(() => expect(clients).toHaveLength(1))
    await close()
    expect(await answer).toBeInstanceOf(TypeError)
  })
})
