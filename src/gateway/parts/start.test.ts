import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'

import { describe, expect, onTestFinished, test } from 'vitest'

import { post } from '../../../test/support/client.ts'
import { prepareGateway, startGateway } from '../../../test/support/gateway.ts'
import { until } from '../../../test/support/until.ts'
import { upstreamAt } from '../../../test/support/upstreams.ts'

test('behavior: calls wait for the first answer of the node', async () => {
  let answer = () => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  const { gateway } = await prepareGateway({
    async intercept() {
      await asked
      return undefined
    },
  })
  const started = gateway.start()
  const chainId = gateway.request({ method: 'eth_chainId' })
  answer()
  expect(await chainId).toBe('0xb24e27cc')
  await started
})

describe('an unreachable node', () => {
  test('behavior: the gateway waits for it and serves when it answers', async () => {
    let isDown = true
    const { gateway, lines, url } = await startGateway({
      intercept: () => (isDown ? { status: 503, text: 'busy' } : undefined),
    })
    const health = await fetch(`${url}/health`)
    expect(health.status).toBe(503)
    expect(await health.json()).toMatchObject({
      status: 'down',
      ready: false,
      upstream: { state: 'down' },
    })
    expect((await fetch(`${url}/ready`)).status).toBe(503)
    expect((await post(url, 'eth_chainId')).error).toEqual({
      code: -32603,
      message: 'the upstream node has not answered yet, try again later',
    })
    const waiting = lines.find(({ msg }) => msg === 'waiting for the node')
    expect(waiting).toMatchObject({ reason: 'the upstream node answered HTTP 503' })
    isDown = false
    await gateway.ready
    expect((await post(url, 'eth_chainId')).result).toBe('0xb24e27cc')
    expect((await fetch(`${url}/ready`)).status).toBe(200)
  })

  test('behavior: no process listens at its address', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const { gateway } = await prepareGateway({ config: { upstream: `http://127.0.0.1:${port}` } })
    await gateway.start()
    expect(gateway.health()).toMatchObject({
      status: 'down',
      reasons: ['waiting for the node: the upstream node is unreachable'],
      upstreams: [{ share: 0, state: 'failing' }],
    })
  })

  test('behavior: health names the reasons of two nodes once', async () => {
    // No process listens at the ports 1 and 2.
    const { gateway } = await prepareGateway({
      config: {
        upstreams: ['a', 'b'].map((name, index) =>
          upstreamAt(`http://127.0.0.1:${index + 1}`, name),
        ),
      },
    })
    await gateway.start()
    expect(gateway.health()).toMatchObject({
      reasons: [
        'waiting for the node: no upstream node can answer: a is failing (the upstream node is unreachable); b is failing (the upstream node is unreachable)',
      ],
    })
  })

  test('behavior: it stops later', async () => {
    let isDown = false
    const { gateway } = await prepareGateway({
      intercept: () => (isDown ? { status: 503, text: 'busy' } : undefined),
    })
    await gateway.start()
    expect(gateway.health().status).toBe('ok')
    isDown = true
    await until(() => expect(gateway.health().status).toBe('down'))
    isDown = false
    await until(() => expect(gateway.health().status).toBe('ok'))
  })

  test('behavior: the gateway can stop while it waits', async () => {
    const { gateway } = await prepareGateway({ intercept: () => ({ status: 503, text: 'busy' }) })
    await gateway.start()
    await gateway.stop()
    expect(gateway.health().status).toBe('draining')
  })
})

describe('stopping', () => {
  test('behavior: /ready answers 503 at once while requests are still answered', async () => {
    const { gateway, url } = await startGateway()
    // Long enough for three requests on a busy machine.
    const stopped = gateway.stop({ delay: 3_000 })
    expect((await fetch(`${url}/ready`)).status).toBe(503)
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'draining' })
    expect((await post(url, 'eth_chainId')).result).toBe('0xb24e27cc')
    await stopped
    await expect(fetch(`${url}/ready`)).rejects.toThrow('fetch failed')
  })

  test('behavior: a stop during the start ends everything', async () => {
    // A Redis that accepts connections and sends nothing.
    const open = new Set<Socket>()
    const redis = createTcpServer((socket) => {
      open.add(socket)
      socket
        .resume()
        .on('close', () => open.delete(socket))
        .on('error', () => {})
    })
    redis.listen(0, '127.0.0.1')
    await once(redis, 'listening')
    onTestFinished(() => void redis.close())
    const { port } = redis.address() as AddressInfo
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    const { gateway } = await prepareGateway({
      config: { redis: `redis://127.0.0.1:${port}` }, // After the services exist, the node does not answer their first call.
      async intercept() {
        if (open.size > 0) await held
        return undefined
      },
    })
    gateway.start().catch(() => {})
    await until(() => expect(open.size).toBeGreaterThan(0))
    const stopped = gateway.stop()
    answer()
    await stopped
    await until(() => expect(open.size).toBe(0))
  })

  test('behavior: health lists problems of the embedder', async () => {
    const { gateway } = await prepareGateway({
      host: { problems: () => [undefined, 'the log cannot be written'] },
    })
    await gateway.start()
    expect(gateway.health()).toMatchObject({
      status: 'degraded',
      ready: true,
      reasons: ['the log cannot be written'],
    })
  })
})
