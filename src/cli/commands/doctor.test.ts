import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { ethgate } from '../../../test/support/cli.ts'
import { startGrpcNode } from '../../../test/support/grpcNode.ts'
import { type ReplayNode, startReplayNode } from '../../../test/support/node.ts'

let node: ReplayNode

beforeAll(async () => {
  node = await startReplayNode()
})

afterAll(async () => {
  await node.close()
})

/** Runs the command; returns its exit code and what it printed. */
async function run(...argv: string[]) {
  const { code, stderr, stdout } = await ethgate(['doctor', ...argv])
  return { code, out: stdout, err: stderr }
}

describe('doctor', () => {
  test('default', async () => {
    const { code, out } = await run(
      '--upstream',
      node.url,
      '--upstream-rpc',
      node.rpcUrl,
      '--table',
    )
    expect(code).toBe(0)
    expect(out).toMatch(/^ +check +found +what it means\n/)
    expect(out).toMatch(/\nok +contract calls +on\n/)
    expect(out).toMatch(/\nok +JSON-RPC +same chain\n/)
  })

  test('args: --upstream-grpc', async () => {
    const grpc = await startGrpcNode()
    const other = await startGrpcNode({
      intercept: () => ({ code: 12, message: 'Method not found' }),
    })
    const run1 = await run('--upstream', node.url, '--upstream-grpc', grpc.url, '--table')
    const run2 = await run('--upstream', node.url, '--upstream-grpc', other.url, '--table')
    await Promise.all([grpc.close(), other.close()])
    expect(run1.out).toMatch(/\nok +gRPC +same chain\n/)
    expect(run2.out).toMatch(
      /\nwarn +gRPC +the node answered with gRPC status 12 +the gateway uses HTTP instead/,
    )
    expect(run2.code).toBe(0)
  })

  test('args: --json', async () => {
    const { code, out } = await run('--upstream', node.url, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      findings: expect.arrayContaining([
        {
          check: 'version',
          level: 'ok',
          found: 'java-tron 4.8.0',
          advice: expect.stringContaining('no eth_getBlockReceipts'),
        },
      ]),
    })
  })

  test('behavior: exit code 1 when something important does not work', async () => {
    const broken = await startReplayNode({
      intercept: ({ path }) =>
        path.endsWith('/getcontractinfo')
          ? { status: 404, text: '{"Error":"this API is unavailable due to config"}' }
          : undefined,
    })
    const { code, out } = await run('--upstream', broken.url, '--table')
    await broken.close()
    expect(code).toBe(1)
    expect(out).toMatch(/\nfail +getcontractinfo +disabled +without it: no eth_getCode\n/)
  })

  test('args: several nodes, side by side', async () => {
    const nodes = ['--upstream', node.url, '--upstream', `${node.url}/`]
    const { code, out } = await run(...nodes, '--table')
    expect(code).toBe(0)
    expect(out).toMatch(/^upstream +state +tier +head +behind +latency +why\n/)
    expect(out).toMatch(/#2 +healthy +0 +223 +0 /)
    const json = JSON.parse((await run(...nodes, '--json')).out) as { upstreams: unknown[] }
    expect(json).toMatchObject({
      ok: true,
      upstreams: [
        { lag: 0, ok: true, state: 'healthy' },
        { findings: expect.any(Array), head: 223, state: 'healthy' },
      ],
    })
  })

  test('behavior: exit code 4 when a node is unreachable, also one of several', async () => {
    const { code, out } = await run(
      '--upstream',
      node.url,
      '--upstream',
      'http://127.0.0.1:1',
      '--table',
    )
    expect(code).toBe(4)
    expect(out).toMatch(/127\.0\.0\.1:1 +failing /)
    const alone = await run('--upstream', 'http://127.0.0.1:1', '--table')
    expect(alone.code).toBe(4)
    expect(alone.out).toMatch(/\nfail +reachable /)
  })

  test('error: wrong options', async () => {
    expect(await run('--upstream', 'localhost:8090')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--upstream: expected an http(s) URL'),
    })
    expect((await run('--upstream', node.url, '--upstream-header', 'x')).code).toBe(2)
    expect((await run('--upstream', node.url, '--upstream-timeout', 'x')).code).toBe(2)
  })
})
