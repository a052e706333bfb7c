import { expect, test } from 'vitest'

import { createConfig } from '../../config/config.ts'
import { shareOf } from './worker.ts'

const upstream = 'http://a.example'

test('shareOf: limits of nodes and memory are divided', () => {
  const config = createConfig({ upstream, upstreamRate: 100, workers: 4 })
  expect(shareOf(config)).toEqual({
    ...config,
    cacheBytes: config.cacheBytes / 4,
    indexRate: 50,
    logsConcurrency: 4,
    unsentBytes: config.unsentBytes / 4,
    upstreamRate: 25,
    upstreamSockets: 10,
    wsConnections: 2_500,
  })
})

test('shareOf: nodes of a configuration file', () => {
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
  expect(shareOf(config).upstreams).toEqual([
    { ...node, concurrency: 13 },
    { ...node, name: 'b', concurrency: 13, rate: 2 },
  ])
})

test('shareOf: one worker gets all', () => {
  const config = createConfig({ upstream })
  expect(shareOf(config)).toBe(config)
})
