import { expect, test } from 'vitest'

import type { HeadStatus } from '../../chain/head/headTypes.ts'
import { createConfig } from '../../config/config.ts'
import { healthOf } from './health.ts'

/** The health of a gateway whose head has this state. */
const health = (head: Partial<HeadStatus>, upstreams: [] | undefined, cursors?: string) =>
  healthOf({
    config: createConfig({}),
    draining: false,
    problems: [],
    reader: 'operator',
    services: {
      blocks: { usage: () => ({ hits: 0, misses: 0 }) },
      chainId: 1,
      filterUsage: () => ({ bytes: 0, filters: 0, isFull: false }),
      head: { status: () => ({ number: 7, role: 'leader', upstream: 'up', ...head }) },
      cursorProblem: () => cursors,
      sentProblem: () => undefined,
    } as never,
    started: 0,
    upstreams,
    waiting: undefined,
  })

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
  expect(health({}, [], problem)).toMatchObject({ reasons: [problem], status: 'degraded' })
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
