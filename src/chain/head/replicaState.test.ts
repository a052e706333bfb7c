import { describe, expect, test } from 'vitest'

import {
  type ReplicaEvent,
  type ReplicaState,
  roleOf,
  STANDALONE_AFTER,
  transition,
  wantsLease,
  YIELD_GRACE,
  YIELD_PAUSE,
} from './replicaState.ts'

const states = {
  connecting: { kind: 'connecting', since: 1_000 },
  following: { kind: 'following' },
  leading: { kind: 'leading', token: 'a:1' },
  yielding: { kind: 'yielding', until: 9_000 },
  detached: { kind: 'detached' },
  excluded: { kind: 'excluded' },
} as const satisfies Record<ReplicaState['kind'], ReplicaState>

const failing: ReplicaState = { kind: 'leading', token: 'a:1', failingSince: 1_000 }
const late = 1_000 + STANDALONE_AFTER

const granted: ReplicaEvent = { kind: 'leaseGranted', token: 'a:1' }
const denied: ReplicaEvent = { kind: 'leaseDenied' }
const fenced: ReplicaEvent = { kind: 'fenced' }
const published: ReplicaEvent = { kind: 'published' }
const other: ReplicaEvent = { kind: 'otherChain' }
const publishFailed = (at: number): ReplicaEvent => ({ kind: 'publishFailed', at })
const redisFailed = (at: number, since = at): ReplicaEvent => ({ kind: 'redisFailed', at, since })
const windowMissing = (at: number): ReplicaEvent => ({ kind: 'windowMissing', at })
const unreachable = (at: number): ReplicaEvent => ({
  kind: 'upstreamUnreachable',
  at,
  since: 1_000,
})

const { connecting, detached, excluded, following, leading, yielding } = states

/** Every transition that leads to another state; all others keep the state. */
const transitions: [ReplicaState, ReplicaEvent, ReplicaState][] = [
  [connecting, granted, leading],
  [connecting, denied, following],
  [connecting, redisFailed(late), detached],
  [connecting, windowMissing(late), detached],
  [following, granted, leading],
  [following, redisFailed(5_000), { kind: 'connecting', since: 5_000 }],
  [following, redisFailed(late, 1_000), detached],
  [leading, denied, following],
  [leading, fenced, following],
  [leading, { kind: 'leaseGranted', token: 'a:2' }, { kind: 'leading', token: 'a:2' }],
  [leading, publishFailed(1_000), failing],
  [leading, redisFailed(5_000), { kind: 'connecting', since: 5_000 }],
  [leading, redisFailed(late, 1_000), detached],
  [
    leading,
    unreachable(1_001 + YIELD_GRACE),
    { kind: 'yielding', until: 1_001 + YIELD_GRACE + YIELD_PAUSE },
  ],
  [failing, published, leading],
  [failing, publishFailed(late), detached],
  [failing, redisFailed(late - 1), { kind: 'connecting', since: 1_000 }],
  [failing, redisFailed(late), detached],
  [yielding, granted, leading],
  [yielding, redisFailed(5_000), { kind: 'connecting', since: 5_000 }],
  [yielding, redisFailed(late, 1_000), detached],
  [detached, granted, leading],
  [detached, denied, following],
  ...Object.values(states)
    .filter(({ kind }) => kind !== 'excluded')
    .map((state): [ReplicaState, ReplicaEvent, ReplicaState] => [state, other, excluded]),
]

/** Events that change only the states of the table, each at a time when no deadline has passed. */
const events = [
  granted,
  denied,
  fenced,
  published,
  other,
  publishFailed(1_000),
  redisFailed(late - 1),
  redisFailed(5_000),
  redisFailed(late),
  windowMissing(late - 1),
  windowMissing(late),
  unreachable(1_000 + YIELD_GRACE),
  unreachable(1_001 + YIELD_GRACE),
]

const name = (value: object) => JSON.stringify(value)

describe('transition', () => {
  test.each(transitions.map(([from, event, to]) => ({ event, from, to })))(
    'default: $from.kind, $event.kind → $to.kind',
    ({ event, from, to }) => {
      expect(transition(from, event)).toEqual(to)
    },
  )

  test('behavior: no deadline has an effect before its time', () => {
    for (const event of [redisFailed(late - 1), windowMissing(late - 1)])
      expect(transition(connecting, event)).toBe(connecting)
    expect(transition(failing, publishFailed(late - 1))).toEqual(failing)
    expect(transition(leading, unreachable(1_000 + YIELD_GRACE))).toBe(leading)
  })

  test('behavior: every other event keeps the state', () => {
    const known = new Set(transitions.map(([from, event]) => name([from, event])))
    const changes = Object.values(states)
      .flatMap((from) => events.map((event) => ({ event, from, to: transition(from, event) })))
      .filter(({ event, from, to }) => to !== from && !known.has(name([from, event])))
    // A failure of Redis changes the state at any time. The table has one time of each.
    expect(changes.filter(({ event }) => event.kind !== 'redisFailed')).toEqual([])
    expect(new Set(changes.map(({ to }) => to.kind))).toEqual(new Set(['connecting', 'detached']))
  })

  test('behavior: a replica of another chain never takes part', () => {
    for (const event of events) expect(transition(excluded, event)).toBe(excluded)
  })
})

test('roleOf: default', () => {
  expect(Object.values(states).map((state) => [state.kind, roleOf(state)])).toEqual([
    ['connecting', 'follower'],
    ['following', 'follower'],
    ['leading', 'leader'],
    ['yielding', 'follower'],
    ['detached', 'standalone'],
    ['excluded', 'standalone'],
  ])
})

describe('wantsLease', () => {
  test('default: a replica that reaches its node wants the lease', () => {
    const now = { at: 8_999, isUpstreamDown: false }
    expect(Object.values(states).map((state) => wantsLease(state, now))).toEqual([
      true,
      true,
      true,
      false,
      true,
      true,
    ])
    expect(wantsLease(yielding, { ...now, at: 9_000 })).toBe(true)
  })

  test('behavior: without its node only the leader wants it, until it yields', () => {
    const now = { at: 20_000, isUpstreamDown: true }
    expect(Object.values(states).filter((state) => wantsLease(state, now))).toEqual([leading])
  })
})
