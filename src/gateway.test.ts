import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createPublicClient, custom, http, webSocket } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { type ReplayRequest, startReplayNode } from '../test/node.ts'
import { CHAIN } from '../test/recordedChain.ts'
import { type Config, createGateway } from './gateway.ts'
import { createLog } from './log.ts'

async function setup(
  config: Partial<Config> = {},
  options: Omit<createGateway.Options, 'config'> & {
    intercept?: startReplayNode.Options['intercept']
  } = {},
) {
  const { intercept, ...rest } = options
  const node = await startReplayNode(intercept ? { intercept } : {})
  const lines: Record<string, unknown>[] = []
  const log = createLog('debug', {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  })
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

test('behavior: pages of other sites are refused where calls can spend, and may read elsewhere', async () => {
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

test('behavior: calls that come while the node is asked for the first time wait', async () => {
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

describe('the node is away', () => {
  test('behavior: waited for, and served when it comes', async () => {
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

  test('behavior: nobody listens there', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const { gateway } = await setup({ upstream: `http://127.0.0.1:${port}` })
    await gateway.start()
    expect(gateway.health()).toMatchObject({
      status: 'down',
      reasons: ['waiting for the node: the upstream node cannot be reached'],
    })
  })

  test('behavior: it goes away later', async () => {
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
    await vi.waitFor(() => expect(gateway.health().status).toBe('down'), 10_000)
    away = false
    await vi.waitFor(() => expect(gateway.health().status).toBe('ok'), 10_000)
  })

  test('behavior: it may be stopped while it waits', async () => {
    const { gateway } = await setup({}, { intercept: () => ({ status: 503, text: 'busy' }) })
    await gateway.start()
    await gateway.stop()
    expect(gateway.health().status).toBe('draining')
  })
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
        `--host: whoever reaches ${host} could spend the managed keys`,
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
