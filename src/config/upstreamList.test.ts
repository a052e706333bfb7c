import { describe, expect, test } from 'vitest'

import { createConfig, readConfig } from './config.ts'
import { upstreamsOf } from './upstreamList.ts'

const of = (flags: Record<string, string | string[]>) => upstreamsOf(readConfig({ env: {}, flags }))

describe('upstreamsOf', () => {
  test('default', () => {
    expect(upstreamsOf(createConfig())).toEqual([])
    expect(
      of({ upstream: 'http://10.0.0.1:8090', upstreamGrpc: 'off', upstreamRpc: 'off' }),
    ).toEqual([
      {
        clientName: 'node 1',
        concurrency: 40,
        headers: {},
        name: '10.0.0.1:8090',
        rate: undefined,
        rpc: undefined,
        solidity: 'http://10.0.0.1:8091',
        tier: 0,
        timeout: 10_000,
        wallet: 'http://10.0.0.1:8090',
        weight: 1,
      },
    ])
  })

  test.each([
    [{ upstream: 'http://10.0.0.1:8090/key' }, 'http://10.0.0.1:8091/key'],
    [{ upstream: 'https://node.example/key' }, 'https://node.example/key'],
    [{ upstream: 'http://10.0.0.1:8090', upstreamSolidity: 'http://b' }, 'http://b'],
  ])('behavior: where /walletsolidity is: %o', (flags, expected) => {
    expect(of(flags)[0]?.solidity).toBe(expected)
  })

  test.each(['/wallet', '/walletsolidity/', '/key/jsonrpc'])(
    'error: an address with a path of the API: %s',
    (path) => {
      const part = path.replace('/key', '').replace(/\/$/, '')
      expect(() => of({ upstream: `http://10.0.0.1:8090${path}` })).toThrow(
        `expected the base address of the node: leave out "${part}"`,
      )
    },
  )

  test('args: several, from flags and from the environment', () => {
    const upstream = ['http://a:8090', 'http://b:8090/', 'http://b:8090/2']
    const expected = ['a:8090', 'b:8090#1', 'b:8090#2']
    expect(of({ upstream }).map(({ name }) => name)).toEqual(expected)
    const config = readConfig({ env: { ETHGATE_UPSTREAM: upstream.join(' ') }, flags: {} })
    expect(upstreamsOf(config).map(({ name }) => name)).toEqual(expected)
  })

  test('args: header and rate apply to each node', () => {
    const [first, second] = of({
      upstream: ['http://a', 'http://b'],
      upstreamHeader: 'X-Key: a:b',
      upstreamRate: 'unlimited',
    })
    expect(first).toMatchObject({ headers: { 'x-key': 'a:b' }, rate: 'unlimited' })
    expect(second?.headers).toEqual({ 'x-key': 'a:b' })
  })

  test.each([
    ['127.0.0.1:50051', 'http://127.0.0.1:50051'],
    ['http://[::1]:50051/', 'http://[::1]:50051'],
    ['https://node.example:443', 'https://node.example:443'],
  ])('args: the gRPC interface: %s', (upstreamGrpc, expected) => {
    expect(of({ upstream: 'http://a', upstreamGrpc })[0]?.grpc).toBe(expected)
  })

  test.each([
    ['http://127.0.0.1:8090', 'http://127.0.0.1:50051'],
    ['http://localhost:8190', 'http://localhost:50151'],
    ['http://[::1]:8090', 'http://[::1]:50051'],
    ['http://192.168.1.2:8090/', 'http://192.168.1.2:50051'],
    ['http://8.8.8.8:8090', undefined],
    ['http://node.example:8090', undefined],
    ['https://127.0.0.1:8090', undefined],
    ['http://127.0.0.1', undefined],
    ['http://127.0.0.1:8080', undefined],
    ['http://127.0.0.1:40000', undefined],
    ['http://127.0.0.1:8090/node', undefined],
  ])('default: where the gRPC interface may be: %s', (upstream, grpc) => {
    const [node] = of({ upstream })
    expect([node?.grpc, node?.isGrpcGuessed]).toEqual([grpc, grpc && true])
    expect(of({ upstream, upstreamGrpc: 'off' })[0]?.grpc).toBeUndefined()
  })

  test.each([
    ['http://127.0.0.1:8090', 'http://127.0.0.1:8545/jsonrpc'],
    ['http://10.0.0.1:8190', 'http://10.0.0.1:8645/jsonrpc'],
    ['http://8.8.8.8:8090', undefined],
    ['http://127.0.0.1:40000', undefined],
  ])('default: where the JSON-RPC may be: %s', (upstream, rpc) => {
    const [node] = of({ upstream })
    expect([node?.rpc, node?.isRpcGuessed]).toEqual([rpc, rpc && true])
    expect(of({ upstream, upstreamRpc: 'off' })[0]?.rpc).toBeUndefined()
    expect(of({ upstream, upstreamRpc: 'http://a/rpc' })[0]).toMatchObject({ rpc: 'http://a/rpc' })
  })

  test('args: a gRPC interface for each node', () => {
    const upstream = ['http://127.0.0.1:8090', 'http://127.0.0.1:8190', 'http://127.0.0.1:8290']
    const nodes = of({ upstream, upstreamGrpc: ['off', 'auto', 'a:1'] })
    expect(nodes.map(({ grpc }) => grpc)).toEqual([
      undefined,
      'http://127.0.0.1:50151',
      'http://a:1',
    ])
  })

  test.each(['node.example', 'http://node.example', 'https://user:key@node.example:1', 'a:1/path'])(
    'error: not the address of a gRPC interface: %s',
    (upstreamGrpc) => {
      expect(() => of({ upstream: 'http://a', upstreamGrpc })).toThrow(
        /^--upstream-grpc: expected HOST:PORT, or https:\/\/HOST:PORT for TLS$/,
      )
    },
  )

  test('error: not as many addresses of /walletsolidity as nodes', () => {
    expect(() => of({ upstream: ['http://a', 'http://b'], upstreamSolidity: 'http://c' })).toThrow(
      '--upstream-solidity: expected one for each --upstream: got 1 for 2',
    )
  })
})
