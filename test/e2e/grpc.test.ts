import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { expect, onTestFinished, test } from 'vitest'

import { startCommand } from '../support/cli.ts'
import { post } from '../support/client.ts'
import { startGateway } from '../support/gateway.ts'
import { startGrpcNode } from '../support/grpcNode.ts'
import { startReplayNode } from '../support/node.ts'
import { CHAIN } from '../support/recordedChain.ts'
import { until } from '../support/until.ts'

/** A certificate for 127.0.0.1, signed by its own key. */
const file = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const tls = { cert: readFileSync(file('certificate.pem')), key: readFileSync(file('key.pem')) }

type Upstreams = { grpc?: { state: string; reason?: string; calls: number; failed: number } }[]

async function healthOf(url: string): Promise<{ status: string; upstreams: Upstreams }> {
  const response = await fetch(new URL('/health', url))
  return (await response.json()) as { status: string; upstreams: Upstreams }
}

/** Lines of the metrics with a name. */
async function metricsOf(url: string, name: string): Promise<string[]> {
  const text = await (await fetch(new URL('/metrics', url))).text()
  return text.split('\n').filter((line) => line.startsWith(name))
}

/** Searches all blocks, which reads many of them. */
const search = (url: string) =>
  post(url, 'eth_getLogs', [{ fromBlock: '0x1', toBlock: `0x${(CHAIN.head - 60).toString(16)}` }])

test('default: /health and /metrics show whether gRPC is used', async () => {
  let isBroken = false
  const grpc = await startGrpcNode({
    intercept: () => (isBroken ? { code: 8, message: 'slow%20down' } : undefined),
  })
  const gateway = await startGateway({
    config: {
      cacheBytes: 0,
      upstreamGrpc: grpc.url,
      upstreamRpc: '',
    },
  })
  const plain = await startGateway({ config: { upstreamRpc: '' } })
  onTestFinished(async () => {
    await Promise.all([gateway.close(), plain.close()])
    await grpc.close()
  })
  const { result } = await search(plain.url)
  expect((await healthOf(plain.url)).upstreams[0]?.grpc).toBeUndefined()
  expect(await metricsOf(plain.url, 'ethgate_upstream_grpc_up{')).toEqual([])
  expect((await healthOf(gateway.url)).upstreams[0]?.grpc).toEqual({
    state: 'idle',
    calls: 0,
    failed: 0,
  })

  expect((await search(gateway.url)).result).toEqual(result)
  const used = await healthOf(gateway.url)
  expect(used).toMatchObject({ status: 'ok', upstreams: [{ grpc: { state: 'up', failed: 0 } }] })
  expect(used.upstreams[0]?.grpc?.calls).toBeGreaterThan(10)
  expect(await metricsOf(gateway.url, 'ethgate_upstream_grpc_up{')).toEqual([
    expect.stringMatching(/ 1$/),
  ])
  const calls = await metricsOf(gateway.url, 'ethgate_upstream_call_duration_seconds_count{')
  expect(calls.join('\n')).toContain('GetTransactionInfoByBlockNum')

  isBroken = true
  const { result: first } = await post(gateway.url, 'eth_getLogs', [
    { fromBlock: '0x1', toBlock: '0x20' },
  ])
  expect(first).toEqual(
    (result as { blockNumber: string }[]).filter(({ blockNumber }) => Number(blockNumber) <= 0x20),
  )
  expect(await healthOf(gateway.url)).toMatchObject({
    status: 'ok',
    upstreams: [
      {
        grpc: {
          state: 'down',
          reason: 'the node answered with gRPC status 8',
          failed: expect.any(Number),
        },
      },
    ],
  })
  expect(await metricsOf(gateway.url, 'ethgate_upstream_grpc_up{')).toEqual([
    expect.stringMatching(/ 0$/),
  ])
})

/** A gateway in a process, in front of a node whose gRPC interface speaks TLS. */
async function serveWithTls(env: Record<string, string>) {
  const grpc = await startGrpcNode({ tls })
  const node = await startReplayNode()
  const serve = startCommand(
    ['serve', '--upstream', node.url, '--upstream-grpc', grpc.url, '--port', '0'],
    { env },
  )
  onTestFinished(async () => {
    serve.process.kill('SIGKILL')
    await Promise.all([grpc.close(), node.close()])
  })
  const url = await until(() => {
    const found = /"url":"([^"]+)"/.exec(serve.stdout())?.[1]
    if (found === undefined) throw new Error(`does not listen yet: ${serve.stderr()}`)
    return found
  })
  await until(async () => expect((await healthOf(url)).status).toBe('ok'))
  return { grpc, url }
}

test('default: TLS, with a certificate that the process trusts', async () => {
  const { grpc, url } = await serveWithTls({ NODE_EXTRA_CA_CERTS: file('certificate.pem') })
  const { result } = await search(url)
  expect(result).not.toEqual([])
  expect(await healthOf(url)).toMatchObject({
    upstreams: [{ grpc: { state: 'up', failed: 0 } }],
  })
  expect(grpc.calls()).toContain('GetTransactionInfoByBlockNum')
})

test('error: TLS with an untrusted certificate: HTTP answers, and the reason is shown', async () => {
  const { grpc, url } = await serveWithTls({})
  const { result } = await search(url)
  expect(result).not.toEqual([])
  expect(await healthOf(url)).toMatchObject({
    upstreams: [
      {
        grpc: { state: 'down', reason: 'the connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)' },
      },
    ],
  })
  expect(grpc.calls()).toEqual([])
})
