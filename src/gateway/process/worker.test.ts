import { expect, test } from 'vitest'

import { createConfig } from '../../config/config.ts'
import { partOf } from './worker.ts'

const upstream = 'http://a.example'

test('partOf: sockets, concurrency and memory are divided, rates are not', () => {
  const config = createConfig({ upstream, upstreamRate: 100, workers: 4 })
  expect(partOf(config)).toEqual({
    ...config,
    cacheBytes: config.cacheBytes / 4,
    indexRate: 50,
    logsConcurrency: 4,
    heldBytes: config.heldBytes / 4,
    unsentBytes: config.unsentBytes / 4,
    upstreamSockets: 10,
    wsConnections: 2_500,
  })
})

test('partOf: nodes of a configuration file', () => {
  const node = {
    concurrency: 40,
    grpc: undefined,
    headers: {},
    name: 'a',
    rate: 'unlimited',
    rpc: undefined,
    solidity: upstream,
    tier: 0,
    timeout: 5_000,
    wallet: upstream,
    weight: 1,
  } as const
  const config = createConfig({ upstreams: [node, { ...node, name: 'b', rate: 7 }], workers: 3 })
  expect(partOf(config).upstreams).toEqual([
    { ...node, concurrency: 13 },
    { ...node, name: 'b', concurrency: 13, rate: 7 },
  ])
})

test('partOf: one worker gets all', () => {
  const config = createConfig({ upstream })
  expect(partOf(config)).toBe(config)
})
