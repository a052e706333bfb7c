import { expect, test } from 'vitest'

import type { HeadStatus } from '../../chain/head/headTypes.ts'
import { createConfig } from '../../config/config.ts'
import type { HealthReader } from '../../http/health.ts'
import type { StoreStatus } from '../metrics.ts'
import { healthOf } from './health.ts'

/** The health of a gateway whose head has this state. */
const health = (
  head: Partial<HeadStatus>,
  upstreams: [] | undefined,
  { cursors, reader = 'operator', store }: Partial<Parts> = {},
) =>
  healthOf({
    config: createConfig({}),
    draining: false,
    problems: [],
    reader,
    services: {
      blocks: { usage: () => ({ hits: 0, misses: 0 }) },
      chainId: 1,
      filterUsage: () => ({ bytes: 0, filters: 0, isFull: false }),
      head: { status: () => ({ number: 7, role: 'leader', upstream: 'up', ...head }) },
      cursorProblem: () => cursors,
      sentProblem: () => undefined,
      store: store && { status: () => store },
    } as never,
    started: 0,
    upstreams,
    waiting: undefined,
  })

type Parts = { cursors: string; reader: HealthReader; store: StoreStatus }

test('behavior: not ready while the head has stalled', () => {
  expect(health({ age: 61_000, isStalled: true }, [])).toMatchObject({
    ready: false,
    status: 'degraded',
    reasons: ['the head has not moved for 61 s'],
  })
  expect(health({ age: 3_000, isStalled: false }, []).ready).toBe(true)
  // A chain in this process makes blocks on request.
  expect(health({ age: 61_000, isStalled: true }, undefined).ready).toBe(true)
})

test('behavior: degraded while the data folder cannot be written', () => {
  const problem = 'named cursors cannot be written to the data folder: ENOSPC'
  expect(health({}, [], { cursors: problem })).toMatchObject({
    reasons: [problem],
    status: 'degraded',
  })
})

test('behavior: degraded while the store of blocks fails; only operators learn what its error names', () => {
  const store = { blocks: 2, bytes: 900, damaged: 0, isUp: false, problem: 'no space in /data' }
  const text = 'the store of blocks does not work, nodes answer instead'
  expect(health({}, [], { store })).toMatchObject({
    reasons: [`${text}: no space in /data`],
    status: 'degraded',
    store: { state: 'failed', blocks: 2, bytes: 900 },
  })
  expect(health({}, [], { reader: 'client', store }).reasons).toEqual([text])
  const works = { ...store, problem: undefined }
  expect(health({}, [], { store: works })).toMatchObject({ store: { state: 'starting' } })
  expect(health({}, [], { store: { ...works, isUp: true } })).toMatchObject({
    status: 'ok',
    store: { state: 'up' },
  })
})

test('behavior: before the node has answered, nothing is known of Redis', () => {
  const starting = healthOf({
    config: createConfig({ redis: 'redis://127.0.0.1' }),
    draining: false,
    problems: [],
    reader: 'client',
    services: undefined,
    started: 0,
    upstreams: [],
    waiting: undefined,
  })
  expect(starting).toMatchObject({
    reasons: ['the node has not answered yet'],
    redis: 'unknown',
    status: 'starting',
  })
})
