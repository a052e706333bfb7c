import type { Hash } from 'viem'
import { describe, expect, test } from 'vitest'

import type { RpcLog } from '../../codec/types.ts'
import type { Call } from '../../lib/call.ts'
import { preparedOf } from '../../lib/prepared.ts'
import type { RecentBlock } from '../head/headTypes.ts'
import type { NextRun } from '../reads/blockRange.ts'
import { pageFrom } from './page.ts'
import { createTopic, type TopicChain } from './topic.ts'

/** More than one call of a function takes as arguments. */
const MANY = 200_000

const hashOf = (number: number): Hash => `0x${number.toString(16).padStart(64, '0')}`

const block = (number: number, logs: RpcLog[] = []) =>
  ({ hash: hashOf(number), logs, number, parentHash: hashOf(number - 1) }) as RecentBlock

/** A chain that has nothing. */
const noChain = {
  block: async () => undefined,
  logRows: async () => [],
  resolve: async () => undefined,
}

describe('the ids of old blocks', () => {
  const newest = block(1_000)
  const head = { window: () => ({ blocks: [newest], orphans: new Map(), solidified: newest }) }
  const of = (resolve: TopicChain['resolve']) => {
    const chain = { ...noChain, resolve, view: 'full' as const }
    return { options: { chain, head, limit: 200 }, topic: createTopic(chain, { kind: 'blocks' }) }
  }

  test('default: are read together', async () => {
    let reading = 0
    let most = 0
    const resolve = async (ref: unknown) => {
      most = Math.max(most, ++reading)
      await Promise.resolve()
      reading--
      return { hash: hashOf(ref as number), number: ref as number }
    }
    const { options, topic } = of(resolve)
    const page = await pageFrom(topic, block(0), options)
    expect(page?.items).toEqual(Array.from({ length: 200 }, (_, index) => `"${hashOf(index + 1)}"`))
    expect(page?.cursor.number).toBe(200)
    expect(most).toBeGreaterThan(10)
  })

  test('behavior: a client that leaves ends them', async () => {
    const client = new AbortController()
    const resolve = async (_: unknown, call?: Call) => {
      client.abort(new Error('left'))
      call?.signal?.throwIfAborted()
      return block(1)
    }
    const { options, topic } = of(resolve)
    const page = pageFrom(topic, block(0), { ...options, call: client })
    await expect(page).rejects.toThrow('left')
  })
})

test.each([
  ['old blocks', 100],
  ['recent blocks', 1],
])('behavior: a page of %s may have any number of logs', async (_, lowest) => {
  const log = { address: '0x01', topics: [] } as unknown as RpcLog
  const recent = block(lowest, lowest === 1 ? Array.from({ length: MANY }, () => log) : [])
  const rows = Array.from({ length: MANY }, () => preparedOf<RpcLog>(Buffer.from('{}')))
  const chain = {
    ...noChain,
    logRows: async () => rows,
    resolve: async () => ({ hash: hashOf(99), number: 99 }),
    view: 'full' as const,
  }
  const page = await pageFrom(
    createTopic(chain, { addresses: [], kind: 'logs', topics: [] }),
    { hash: hashOf(0), number: 0 },
    {
      chain,
      head: { window: () => ({ blocks: [recent], orphans: new Map(), solidified: recent }) },
      limit: Infinity,
    },
  )
  expect(page?.items).toHaveLength(MANY)
})

test('behavior: short stretches between runs of empty blocks are each one search', async () => {
  const runs = [
    { from: 2, to: 199 },
    { from: 301, to: 399 },
    { from: 501, to: 599 },
    { from: 701, to: 799 },
  ]
  const searched: [number, number][] = []
  const chain: TopicChain & { nextRun: NextRun; view: 'full' } = {
    ...noChain,
    logRows: async (_, { from, to }) => {
      searched.push([from, to])
      return []
    },
    nextRun: (height) => runs.find(({ to }) => to >= height),
    resolve: async (ref) => ({ hash: hashOf(ref as number), number: ref as number }),
    view: 'full',
  }
  const newest = block(900)
  const head = { window: () => ({ blocks: [newest], orphans: new Map(), solidified: newest }) }
  const topic = createTopic(chain, { addresses: [], kind: 'logs', topics: [] })
  const options = { chain, head, limit: 100, maxSearches: 5 }
  const page = await pageFrom(topic, block(0), options)
  expect(page?.cursor.number).toBe(900)
  expect(searched).toEqual([
    [1, 1],
    [200, 300],
    [400, 500],
    [600, 700],
    [800, 899],
  ])
})
