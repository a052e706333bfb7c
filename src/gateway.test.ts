import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'

import { createPublicClient, custom, http, webSocket } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'

import { type ReplayRequest, startReplayNode } from '../test/node.ts'
import { CHAIN } from '../test/recordedChain.ts'
import { until } from '../test/until.ts'
import { type Config, createGateway } from './gateway.ts'
import { createLog, secretsIn } from './log.ts'

async function setup(
  config: Partial<Config> = {},
  options: Omit<createGateway.Options, 'config'> & {
    intercept?: startReplayNode.Options['intercept']
  } = {},
) {
  const { intercept, ...rest } = options
  const node = await startReplayNode(intercept ? { intercept } : {})
  const lines: Record<string, unknown>[] = []
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  }
  const log = createLog('debug', destination, secretsIn([config.upstream]))
  const gateway = createGateway({
    config: { port: 0, upstream: node.url, ...config },
    log,
    ...rest,
  })
  onTestFinished(async () => {
    await gateway.stop()
    await node.close()
  })
  return { gateway, lines, node }
}

const ask = async (url: string, method: string, params: unknown[] = [], path = '/') => {
  const response = await fetch(url + path, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as { error?: { code: number; message: string }; result?: unknown }
}

test('default', async () => {
  const { gateway } = await setup()
  const { url } = await gateway.start()
  expect(await ask(url, 'eth_chainId')).toEqual({ jsonrpc: '2.0', id: 1, result: '0xb24e27cc' })
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
    status: 'ok',
    ready: true,
    reasons: [],
    chainId: '0xb24e27cc',
    upstream: { state: 'up' },
    head: { role: 'standalone', number: CHAIN.head },
    redis: 'none',
    filters: { count: 0, bytes: 0 },
  })
})

test('behavior: viem over HTTP, WebSocket and in the process', async () => {
  const { gateway } = await setup()
  const { url } = await gateway.start()
  const transports = [
    http(url),
    webSocket(url.replace('http', 'ws'), { reconnect: false }),
    custom(gateway),
  ]
  for (const transport of transports) {
    const client = createPublicClient({ transport })
    expect(await client.getBlockNumber()).toBe(BigInt(CHAIN.head))
    await expect(client.request({ method: 'eth_nope' as never })).rejects.toThrow('does not exist')
  }
})

test('error: a misspelt method gets a suggestion', async () => {
  const { gateway } = await setup()
  expect(await gateway.request({ method: 'eth_getBlance', params: [] }).catch(String)).toContain(
    'the method eth_getBlance does not exist/is not available; did you mean eth_getBalance?',
  )
})

test('behavior: methods and routes of an embedder', async () => {
  const { gateway } = await setup(
    {},
    {
      methods: { dev_hello: { params: [], summary: '', handler: () => 'hello' } },
    },
  )
  const { url } = await gateway.start()
  expect((await ask(url, 'dev_hello')).result).toBe('hello')
})

test('behavior: pages of other sites may read, but are refused if calls can spend', async () => {
  const headers = { origin: 'https://evil.example' }
  const statusOf = async (options: Omit<createGateway.Options, 'config'>) => {
    const { gateway } = await setup({}, options)
    const { url } = await gateway.start()
    return (await fetch(url, { method: 'POST', body: '{}', headers })).status
  }
  const methods = { dev_hello: { params: [], summary: '', handler: () => 'hello' } }
  expect(await statusOf({})).toBe(200)
  expect(await statusOf({ keys: ['11'.repeat(32)] })).toBe(403)
  expect(await statusOf({ methods })).toBe(403)
})

test('behavior: calls wait for the first answer of the node', async () => {
  let answer = () => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  const { gateway } = await setup(
    {},
    {
      async intercept() {
        await asked
        return undefined
      },
    },
  )
  const started = gateway.start()
  const chainId = gateway.request({ method: 'eth_chainId' })
  answer()
  expect(await chainId).toBe('0xb24e27cc')
  await started
})

test('behavior: metrics', async () => {
  const { gateway } = await setup()
  const { url } = await gateway.start()
  await ask(url, 'eth_chainId')
  await ask(url, 'eth_nope')
  const text = await (await fetch(`${url}/metrics`)).text()
  expect(text).toContain('ethgate_rpc_call_duration_seconds_count{method="eth_chainId"} 1')
  expect(text).toContain('ethgate_rpc_errors_total{method="unknown",code="-32601"} 1')
  expect(text).toContain(`ethgate_head_block_number ${CHAIN.head}`)
  expect(text).toContain('ethgate_upstream_up 1')
  expect(text).toMatch(
    /ethgate_upstream_call_duration_seconds_count\{operation="\/wallet\/getblock",outcome="200"\} \d/,
  )
})

test('behavior: one line a request, without params', async () => {
  const { gateway, lines } = await setup()
  const { url } = await gateway.start()
  await ask(url, 'eth_getBalance', ['0x0123456789012345678901234567890123456789', 'nope'])
  const line = lines.find(({ msg }) => msg === 'request')
  expect(line).toEqual({
    level: 20,
    time: expect.any(String),
    msg: 'request',
    method: 'eth_getBalance',
    code: -32602,
    bytes: expect.any(Number),
    ms: expect.any(Number),
  })
  expect(JSON.stringify(lines)).not.toContain('0123456789012345678901234567890123456789')
})

describe('an unreachable node', () => {
  test('behavior: the gateway waits for it and serves when it answers', async () => {
    let away = true
    const { gateway, lines } = await setup(
      {},
      {
        intercept: () => (away ? { status: 503, text: 'busy' } : undefined),
      },
    )
    const { url } = await gateway.start()
    const health = await fetch(`${url}/health`)
    expect(health.status).toBe(503)
    expect(await health.json()).toMatchObject({
      status: 'down',
      ready: false,
      upstream: { state: 'down' },
    })
    expect((await fetch(`${url}/ready`)).status).toBe(503)
    expect((await ask(url, 'eth_chainId')).error).toEqual({
      code: -32603,
      message: 'the upstream node has not answered yet, try again later',
    })
    expect(lines.map(({ msg }) => msg)).toContain('waiting for the node')
    away = false
    await gateway.ready
    expect((await ask(url, 'eth_chainId')).result).toBe('0xb24e27cc')
    expect((await fetch(`${url}/ready`)).status).toBe(200)
  })

  test('behavior: no process listens at its address', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const { gateway } = await setup({ upstream: `http://127.0.0.1:${port}` })
    await gateway.start()
    expect(gateway.health()).toMatchObject({
      status: 'down',
      reasons: ['waiting for the node: the upstream node is unreachable'],
    })
  })

  test('behavior: it stops later', async () => {
    let away = false
    const { gateway } = await setup(
      {},
      {
        intercept: () => (away ? { status: 503, text: 'busy' } : undefined),
      },
    )
    await gateway.start()
    expect(gateway.health().status).toBe('ok')
    away = true
    await until(() => expect(gateway.health().status).toBe('down'))
    away = false
    await until(() => expect(gateway.health().status).toBe('ok'))
  })

  test('behavior: the gateway can stop while it waits', async () => {
    const { gateway } = await setup({}, { intercept: () => ({ status: 503, text: 'busy' }) })
    await gateway.start()
    await gateway.stop()
    expect(gateway.health().status).toBe('draining')
  })
})

describe('stopping', () => {
  test('behavior: /ready answers 503 at once while requests are still answered', async () => {
    const { gateway } = await setup()
    const { url } = await gateway.start()
    const stopped = gateway.stop({ delay: 500 })
    expect((await fetch(`${url}/ready`)).status).toBe(503)
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'draining' })
    expect((await ask(url, 'eth_chainId')).result).toBe('0xb24e27cc')
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
    const { gateway } = await setup(
      { redis: `redis://127.0.0.1:${port}` },
      {
        // After the services exist, the node does not answer their first call.
        async intercept() {
          if (open.size > 0) await held
          return undefined
        },
      },
    )
    gateway.start().catch(() => {})
    await until(() => expect(open.size).toBeGreaterThan(0))
    const stopped = gateway.stop()
    answer()
    await stopped
    await until(() => expect(open.size).toBe(0))
  })

  test('behavior: health lists problems of the embedder', async () => {
    const { gateway } = await setup(
      {},
      { problems: () => [undefined, 'the log cannot be written'] },
    )
    await gateway.start()
    expect(gateway.health()).toMatchObject({
      status: 'degraded',
      ready: true,
      reasons: ['the log cannot be written'],
    })
  })
})

test('error: the path of the upstream, which may be a key, is never shown', async () => {
  const secret = 'a1b2c3-secret'
  let fault: 'none' | 'status' | 'text' | 'cut' = 'none'
  const { node } = await setup()
  const server = createServer((incoming, outgoing) => {
    if (fault === 'cut') incoming.socket.destroy()
    else if (fault === 'status') outgoing.writeHead(503).end(`no ${incoming.url}`)
    else if (fault === 'text') outgoing.end(`<html>${incoming.url}</html>`)
    else passOn(incoming, outgoing)
  })
  const passOn: RequestListener = (incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const path = incoming.url?.replace(`/${secret}`, '') ?? ''
      const body = parts.length > 0 ? Buffer.concat(parts) : null
      void fetch(node.url + path, { method: incoming.method ?? 'POST', body })
        .then((response) => response.text())
        .then((text) => outgoing.end(text))
    })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const upstream = `http://127.0.0.1:${port}/${secret}`
  const { gateway, lines } = await setup({ upstream, upstreamRpc: upstream, upstreamTimeout: 500 })
  const { url } = await gateway.start()
  expect(gateway.health().status).toBe('ok')
  const told: unknown[] = []
  for (fault of ['none', 'status', 'text', 'cut'] as const) {
    for (const [method, params] of [
      ['eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest']],
      ['eth_getStorageAt', [`0x${'1'.repeat(40)}`, '0x0', 'latest']],
      ['eth_getTransactionByHash', [`0x${'1'.repeat(64)}`]],
      ['eth_call', [{ to: `0x${'1'.repeat(40)}`, data: '0x' }, 'latest']],
      ['web3_clientVersion', []],
    ] as const)
      told.push(await ask(url, method, [...params]))
    const expected = fault === 'none' ? 'up' : 'down'
    await until(() => expect(gateway.health().upstream.state).toBe(expected))
    told.push(gateway.health(), await (await fetch(`${url}/metrics`)).text())
  }
  // Compares a flag, so that a failure does not print the whole text.
  expect(JSON.stringify(told).includes(secret)).toBe(false)
  expect(JSON.stringify(lines).includes(secret)).toBe(false)
})

describe('error', () => {
  test('error: a node without contract calls', async () => {
    const { gateway } = await setup(
      {},
      {
        intercept: ({ path }: ReplayRequest) =>
          path === '/wallet/triggerconstantcontract'
            ? {
                text: JSON.stringify({
                  result: {
                    code: 'CONTRACT_VALIDATE_ERROR',
                    message: Buffer.from('this node does not support constant').toString('hex'),
                  },
                }),
              }
            : undefined,
      },
    )
    await expect(gateway.start()).rejects.toThrow('set vm.supportConstant = true')
    await expect(gateway.ready).rejects.toThrow('set vm.supportConstant = true')
  })

  test('error: a port that is taken', async () => {
    const { gateway } = await setup()
    const { port } = await gateway.start()
    const other = await setup({ port })
    await expect(other.gateway.start()).rejects.toThrow('EADDRINUSE')
  })

  test('error: managed keys on an address that other machines reach', async () => {
    const keys = ['11'.repeat(32)]
    const upstream = 'http://127.0.0.1:1'
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'rpc.example'])
      expect(() => createGateway({ config: { host, upstream }, keys })).toThrow(
        `--host: every client that reaches ${host} could spend the coins of the managed keys`,
      )
    for (const host of ['127.0.0.1', '::1', 'localhost'])
      await createGateway({ config: { host, upstream }, keys }).stop()
    await createGateway({ config: { host: '0.0.0.0', keysPublic: true, upstream }, keys }).stop()
    await createGateway({ config: { host: '0.0.0.0', upstream } }).stop()
  })

  test('error: no upstream', () => {
    expect(() => createGateway({ config: {} })).toThrow('config.upstream is missing')
  })
})
