import { execFileSync } from 'node:child_process'
import { text } from 'node:stream/consumers'

import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import { startCommand } from '../../../test/support/cli.ts'
import { post } from '../../../test/support/client.ts'
import { startCollector } from '../../../test/support/collector.ts'
import { compileModule } from '../../../test/support/compileModule.ts'
import { startGateway } from '../../../test/support/gateway.ts'
import { labels } from '../../../test/support/recordedChain.ts'
import { explainSkip, redisMissing, someRedis } from '../../../test/support/redis.ts'
import { serveInTest } from '../../../test/support/serve.ts'
import { until } from '../../../test/support/until.ts'
import { createConfig, type Config } from '../../config/config.ts'
import { upstreamsOf } from '../../config/upstreamList.ts'
import type { Upstream } from '../../native/upstream.ts'
import type { Tracer } from '../../rpc/explain/tracer.ts'
import { createLog, silentLog } from '../log.ts'
import { openTracer } from './openTracer.ts'

const TOKEN = `0x${labels.contracts.Token.address.slice(2)}`

/** The variables are read by the SDK too, from the process. */
async function startTracer(endpoint: string, more: Record<string, string> = {}, log = silentLog) {
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...more,
  }
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const tracer = (await openTracer(process.env, log)) as Tracer
  onTestFinished(() => tracer.stop())
  return tracer
}

async function startTraced(environment: Record<string, string> = {}, config: Partial<Config> = {}) {
  const collector = await startCollector()
  const tracer = await startTracer(collector.url, environment)
  const gateway = await startGateway({ config, tracer })
  return { collector, ...gateway }
}

/** A node behind a proxy that keeps the headers of its requests. */
async function spyOn(target: string) {
  const headers: Record<string, unknown>[] = []
  const url = await serveInTest(async (request, response) => {
    const body = (await text(request)) || null
    headers.push({ ...request.headers, path: request.url })
    const reply = await fetch(target + request.url, { method: request.method ?? 'GET', body })
    response.writeHead(reply.status).end(await reply.text())
  })
  return { headers, url }
}

test('default: a span a call with its native calls below, exported as protobuf', async () => {
  const { collector, node, url } = await startTraced({
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  })
  await post(url, 'eth_getBalance', [TOKEN, 'latest'])
  const call = await collector.span('eth_getBalance')
  expect(call).toMatchObject({
    kind: 2,
    failed: false,
    parent: '',
    attributes: {
      'rpc.system': 'jsonrpc',
      'rpc.method': 'eth_getBalance',
      'rpc.jsonrpc.request_id': '1',
      'network.protocol.name': 'http',
    },
  })
  expect(await collector.span('wallet/getaccount')).toMatchObject({
    kind: 3,
    parent: call.id,
    trace: call.trace,
    attributes: { 'ethgate.upstream': new URL(node.url).host, 'http.response.status_code': 200 },
  })
  expect(collector.resources[0]).toMatchObject({ 'service.name': 'ethgate' })
})

test('behavior: continues the trace of the client and passes it to the node', async () => {
  const collector = await startCollector()
  const tracer = await startTracer(collector.url)
  const { node } = await startGateway()
  const spy = await spyOn(node.url)
  const gateway = await startGateway({ config: { upstream: spy.url }, tracer })
  const trace = '0af7651916cd43dd8448eb211c80319c'
  await fetch(gateway.url, {
    method: 'POST',
    headers: { traceparent: `00-${trace}-b7ad6b7169203331-01`, tracestate: 'vendor=x' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'net_peerCount', params: [] }),
  })
  expect(await collector.span('net_peerCount')).toMatchObject({
    parent: 'b7ad6b7169203331',
    trace,
  })
  const native = await collector.span('wallet/getnodeinfo')
  // The gateway reads the release of the node too.
  const asked = spy.headers.filter(({ path }) => path === '/wallet/getnodeinfo')
  expect(asked.filter(({ traceparent }) => traceparent !== undefined)).toMatchObject([
    { traceparent: `00-${trace}-${native.id}-01`, tracestate: 'vendor=x' },
  ])
})

test('behavior: the gateway’s own calls have no trace', async () => {
  const { node } = await startGateway()
  const collector = await startCollector()
  const tracer = await startTracer(collector.url)
  const spy = await spyOn(node.url)
  await startGateway({ config: { upstream: spy.url }, tracer })
  expect(spy.headers.length).toBeGreaterThan(0)
  expect(spy.headers.filter(({ traceparent }) => traceparent !== undefined)).toEqual([])
})

test('behavior: the calls of a batch are below one span', async () => {
  const { collector, url } = await startTraced()
  const call = (id: number, method: string) => ({ jsonrpc: '2.0', id, method, params: [] })
  const body = JSON.stringify([call(1, 'eth_chainId'), call(2, 'net_peerCount'), 5])
  await fetch(url, { method: 'POST', body })
  const batch = await collector.span('batch')
  expect(batch.attributes).toMatchObject({ 'ethgate.batch.size': 3 })
  for (const name of ['eth_chainId', 'net_peerCount', 'invalid'])
    expect(await collector.span(name)).toMatchObject({ parent: batch.id, trace: batch.trace })
})

test('behavior: a call over a WebSocket continues the trace of its handshake', async () => {
  const { collector, url } = await startTraced()
  const trace = '11112222333344445555666677778888'
  const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` }
  const ws = new WebSocket(url.replace('http', 'ws'), { headers })
  onTestFinished(() => ws.terminate())
  ws.on('open', () => ws.send('{"jsonrpc":"2.0","id":"a","method":"net_peerCount"}'))
  expect(await collector.span('net_peerCount')).toMatchObject({
    trace,
    attributes: { 'network.protocol.name': 'websocket', 'rpc.jsonrpc.request_id': 'a' },
  })
})

test('behavior: an error has its code, and a fault fails the span', async () => {
  const { collector, node, url } = await startTraced()
  await post(url, 'eth_getBalance', ['nonsense'])
  expect(await collector.span('eth_getBalance')).toMatchObject({
    failed: false,
    attributes: { 'rpc.jsonrpc.error_code': expect.toSatisfy((code) => Number(code) === -32602) },
  })
  await node.close()
  await post(url, 'net_peerCount')
  expect(await collector.span('net_peerCount')).toMatchObject({
    failed: true,
    attributes: { 'error.type': '-32603' },
  })
  expect(await collector.span('wallet/getnodeinfo')).toMatchObject({ failed: true })
})

test('behavior: a block that is not in memory is a step of the trace; a block in memory is not', async () => {
  const { collector, url } = await startTraced()
  await post(url, 'eth_getBlockByNumber', ['0x10', false])
  const miss = await collector.span('block cache miss')
  expect(miss.attributes).toMatchObject({
    'ethgate.block.number': expect.toSatisfy((number) => Number(number) === 16),
  })
  await post(url, 'eth_getBlockByNumber', ['0x10', false])
  await until(() => expect(collector.byName('eth_getBlockByNumber')).toHaveLength(2))
  expect(collector.byName('block cache miss')).toHaveLength(1)
})

test('args: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_EXPORTER_OTLP_HEADERS', async () => {
  const { collector, url } = await startTraced({
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_SERVICE_NAME: 'other',
  })
  await post(url, 'eth_chainId')
  await collector.span('eth_chainId')
  expect(collector.requests[0]?.headers['x-key']).toBe('secret')
  expect(collector.requests[0]?.url).toBe('/v1/traces')
  expect(collector.resources[0]).toMatchObject({
    'deployment.environment.name': 'test',
    'service.name': 'other',
  })
})

test('args: OTEL_TRACES_SAMPLER', async () => {
  const { collector, url } = await startTraced({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' })
  await post(url, 'eth_chainId')
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice"}'
  await fetch(url, { method: 'POST', headers: { traceparent }, body })
  await collector.span('eth_gasPrice')
  expect(collector.byName('eth_chainId')).toEqual([])
})

test.each([
  [{}],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_TRACES_EXPORTER: 'none' }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_SDK_DISABLED: 'True' }],
])('args: no traces with %o', async (env) => {
  expect(await openTracer(env, silentLog)).toBeUndefined()
})

test.each([
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'no traces: OTEL_TRACES_EXPORTER may be otlp, console'],
  [
    { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'no traces: the OTLP protocol may be http/protobuf or http/json',
  ],
])('error: %o is not supported, and the log says so', async (env, message) => {
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => void lines.push(line) })
  expect(await openTracer(env as unknown as Record<string, string>, log)).toBeUndefined()
  expect(lines.join('')).toContain(message)
})

test('error: a failing collector does not affect answers and is logged once', async () => {
  const lines: string[] = []
  const collector = await startCollector({ status: 400 })
  const log = createLog('warn', { write: (line) => void lines.push(line) })
  const tracer = await startTracer(collector.url, {}, log)
  const gateway = await startGateway({ tracer })
  for (let exported = 1; exported <= 3; exported++) {
    expect(await post(gateway.url, 'eth_chainId')).toHaveProperty('result')
    await until(() => expect(collector.requests.length).toBeGreaterThanOrEqual(exported))
  }
  await until(() => expect(lines).toHaveLength(1))
  expect(lines[0]).toContain('OpenTelemetry')
})

explainSkip(redisMissing)
test.skipIf(redisMissing)('behavior: the Redis commands of a call are below it', async () => {
  const redis = await someRedis()
  onTestFinished(() => redis.close())
  const { collector, url } = await startTraced({}, { redis: redis.url })
  await until(async () => expect(await post(url, 'eth_newBlockFilter')).toHaveProperty('result'))
  const call = await collector.span('eth_newBlockFilter')
  await until(() =>
    expect(collector.spans).toContainEqual(
      expect.objectContaining({
        attributes: { 'db.system.name': 'redis' },
        kind: 3,
        parent: call.id,
      }),
    ),
  )
})

test.each([
  ['off', {}, false],
  ['on', { OTEL_TRACES_EXPORTER: 'otlp' }, true],
])('behavior: the SDK is loaded when traces are %s: %o', async (_, env, isLoaded) => {
  const script = `
    import { createRequire } from 'node:module'
    await import('${await compileModule('gateway/process/serve.ts')}')
    const { openTracer } = await import('${await compileModule('gateway/tracing/openTracer.ts')}')
    await openTracer(process.env, { warn() {} })
    const loaded = Object.keys(createRequire('${import.meta.url}').cache)
    console.log(JSON.stringify(loaded.filter((file) => file.includes('@opentelemetry'))))
    process.exit()`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...(env as Record<string, string>) },
  })
  const packages = new Set(
    (JSON.parse(output) as string[]).map((file) => /@opentelemetry\/([^/]+)/.exec(file)?.[1]),
  )
  // prom-client loads the interface package by itself.
  packages.delete('api')
  expect(packages.size > 0).toBe(isLoaded)
})

test.each(['http/json', 'http/protobuf'])(
  'behavior: the bundled command exports as %s',
  async (protocol) => {
    const collector = await startCollector()
    const { node } = await startGateway()
    const nodes = ['--upstream', node.url, '--upstream-solidity', node.solidityUrl]
    const command = startCommand(['serve', ...nodes, '--port', '0'], {
      env: {
        OTEL_BSP_SCHEDULE_DELAY: '20',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      },
    })
    onTestFinished(async () => {
      command.process.kill('SIGTERM')
      await command.ended
    })
    const lines = await command.lines(2)
    const { url } = JSON.parse(lines.at(1) ?? '') as { url: string }
    await post(url, 'eth_chainId')
    expect(await collector.span('eth_chainId')).toMatchObject({ failed: false })
  },
)

test('behavior: with several nodes, the log line of a slow call names its nodes', async () => {
  const { node } = await startGateway()
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const upstreams = ['a', 'b'].map((name) => ({
    ...(upstreamsOf({ ...createConfig({ upstream: node.url }) })[0] as Upstream),
    name,
    solidity: node.solidityUrl,
  }))
  const config = { slow: Number.MIN_VALUE, upstreams }
  const { url } = await startGateway({ config, log })
  await post(url, 'net_peerCount')
  await post(url, 'eth_chainId')
  await until(() => expect(lines.join('')).toContain('eth_chainId'))
  const lineOf = (method: string) =>
    lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find((line) => line['method'] === method)
  expect(lineOf('net_peerCount')).toMatchObject({ upstreams: [expect.stringMatching(/^[ab]$/)] })
  expect(lineOf('eth_chainId')).not.toHaveProperty('upstreams')
})
