import { text } from 'node:stream/consumers'

import { createPublicClient, custom, http, webSocket } from 'viem'
import { describe, expect, test } from 'vitest'

import { post } from '../../test/support/client.ts'
import { prepareGateway, startGateway } from '../../test/support/gateway.ts'
import type { ReplayRequest } from '../../test/support/node.ts'
import { CHAIN } from '../../test/support/recordedChain.ts'
import { serveInTest } from '../../test/support/serve.ts'
import { until } from '../../test/support/until.ts'
import { createGateway } from './gateway.ts'

test('default', async () => {
  const { url } = await startGateway()
  expect(await post(url, 'eth_chainId')).toEqual({ jsonrpc: '2.0', id: 1, result: '0xb24e27cc' })
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
  const { gateway, url } = await startGateway()
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
  const { gateway } = await prepareGateway()
  expect(await gateway.request({ method: 'eth_getBlance', params: [] }).catch(String)).toContain(
    'the method eth_getBlance does not exist/is not available; did you mean eth_getBalance?',
  )
})

test('behavior: methods and routes of an embedder', async () => {
  const { url } = await startGateway({
    methods: { dev_hello: { params: [], summary: '', handler: () => 'hello' } },
  })
  expect((await post(url, 'dev_hello')).result).toBe('hello')
})

test('behavior: pages of other sites may read, but are refused if calls can spend', async () => {
  const headers = { origin: 'https://evil.example' }
  const statusOf = async (options: Omit<createGateway.Options, 'config'>) => {
    const { url } = await startGateway({ ...options })
    return (await fetch(url, { method: 'POST', body: '{}', headers })).status
  }
  const methods = { dev_hello: { params: [], summary: '', handler: () => 'hello' } }
  expect(await statusOf({})).toBe(200)
  expect(await statusOf({ keys: ['11'.repeat(32)] })).toBe(403)
  expect(await statusOf({ methods })).toBe(403)
})

test('behavior: metrics', async () => {
  const { url } = await startGateway()
  await post(url, 'eth_chainId')
  await post(url, 'eth_nope')
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
  const { lines, url } = await startGateway()
  await post(url, 'eth_getBalance', ['0x0123456789012345678901234567890123456789', 'nope'])
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

test('error: the path of the upstream, which may be a key, is never shown', async () => {
  const secret = 'a1b2c3-secret'
  let fault: 'none' | 'status' | 'text' | 'cut' = 'none'
  const { node } = await prepareGateway()
  const address = await serveInTest(async (incoming, outgoing) => {
    if (fault === 'cut') incoming.socket.destroy()
    else if (fault === 'status') outgoing.writeHead(503).end(`no ${incoming.url}`)
    else if (fault === 'text') outgoing.end(`<html>${incoming.url}</html>`)
    else {
      const path = incoming.url?.replace(`/${secret}`, '') ?? ''
      const body = (await text(incoming)) || null
      const answer = await fetch(node.url + path, { method: incoming.method ?? 'POST', body })
      outgoing.end(await answer.text())
    }
  })
  const upstream = `${address}/${secret}`
  const { gateway, lines, url } = await startGateway({
    config: {
      upstream,
      upstreamRpc: upstream,
      upstreamTimeout: 500,
    },
  })
  await until(() => expect(gateway.health().status).toBe('ok'))
  const told: unknown[] = []
  for (fault of ['none', 'status', 'text', 'cut'] as const) {
    for (const [method, params] of [
      ['eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest']],
      ['eth_getStorageAt', [`0x${'1'.repeat(40)}`, '0x0', 'latest']],
      ['eth_getTransactionByHash', [`0x${'1'.repeat(64)}`]],
      ['eth_call', [{ to: `0x${'1'.repeat(40)}`, data: '0x' }, 'latest']],
      ['web3_clientVersion', []],
    ] as const)
      told.push(await post(url, method, [...params]))
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
    const { gateway } = await prepareGateway({
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
    })
    await expect(gateway.start()).rejects.toThrow('set vm.supportConstant = true')
    await expect(gateway.ready).rejects.toThrow('set vm.supportConstant = true')
  })

  test('error: a port that is taken', async () => {
    const { gateway } = await prepareGateway()
    const { port } = await gateway.start()
    const other = await prepareGateway({ config: { port } })
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
