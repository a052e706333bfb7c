import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import fc from 'fast-check'
import type { Hash } from 'viem'
import { describe, expect, test } from 'vitest'

import { createCursors } from '../../src/chain/filters/cursors.ts'
import { createFilters } from '../../src/chain/filters/filters.ts'
import { createPendingFeed } from '../../src/chain/filters/pending.ts'
import { createRedisFilterStore } from '../../src/chain/filters/redis.ts'
import { createRedisPendingLog } from '../../src/chain/filters/redisPendingLog.ts'
import { createHead } from '../../src/chain/head/head.ts'
import type { RpcLog } from '../../src/codec/types.ts'
import { silentLog } from '../../src/gateway/log.ts'
import { RpcError } from '../../src/lib/errors.ts'
import { fromPrepared } from '../../src/lib/prepared.ts'
import { createRedisLink } from '../../src/lib/redis.ts'
import type { ClientCall } from '../../src/rpc/request.ts'
import { createScriptedChain, type ScriptedChain, type Script } from '../support/chain.ts'
import { explainSkip, redisServerMissing, startRedis, type TestRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

explainSkip(redisServerMissing)

/** The events of the model. `pause` is the milliseconds until the next event. */
type Event = { pause: number } & (
  | { kind: 'mine'; logs: number }
  | { kind: 'reorg'; depth: number; longer: number; logs: number }
  | { kind: 'poll'; replica: number; filter: 'logs' | 'blocks'; outcome: 'sent' | 'lost' }
  | { kind: 'next'; replica: number; limit: number; use: 'acknowledge' | 'repeat' | 'nothing' }
  | { kind: 'crash'; replica: number; polling: boolean }
  | { kind: 'redis' }
)

/**
 * Milliseconds: short, so that pages of killed replicas are free soon; long enough for a busy machine on which Redis starts again, because
 * a page that takes longer from the response to its commit is delivered again.
 */
const LEASE = 5_000

/** Runs of the model that go side by side. */
const LANES = 12

const pause = fc.integer({ min: 0, max: 30 })
const replica = fc.integer({ min: 0, max: 1 })
const logs = fc.integer({ min: 0, max: 3 })
const events: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('mine'), logs, pause }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('reorg'),
      depth: fc.integer({ min: 1, max: 10 }),
      longer: fc.integer({ min: 1, max: 3 }),
      logs,
      pause,
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('poll'),
      replica,
      filter: fc.constantFrom('logs', 'logs', 'blocks'),
      outcome: fc.constantFrom('sent', 'sent', 'sent', 'lost'),
      pause,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('next'),
      replica,
      limit: fc.integer({ min: 1, max: 6 }),
      use: fc.constantFrom('acknowledge', 'repeat', 'nothing'),
      pause,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('crash'), replica, polling: fc.boolean(), pause }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redis'), pause }) },
)

const outsideTheWindow = () => Promise.reject(new Error('all of this chain is in the window'))

/** One replica's head and filters, without HTTP: the test decides what becomes of a response. */
async function startReplica(chain: ScriptedChain, url: string, prefix: string) {
  const link = createRedisLink({ url, prefix })
  const head = createHead({ genesis: chain.genesis, native: chain.native, redis: link })
  await head.start()
  const pending = createPendingFeed({
    head,
    log: createRedisPendingLog(link),
    native: chain.native,
    onError: () => {},
  })
  const limits = {
    bytesPerClient: 9_000,
    bytesTotal: 9_000,
    lease: LEASE,
    perClient: 9,
    total: 9,
    ttl: 60_000,
  }
  const store = createRedisFilterStore({ ...limits, link })
  const cursorStore = createRedisFilterStore({ ...limits, link, name: 'cursor' })
  const view: Parameters<typeof createFilters>[0]['chain'] = {
    view: 'full',
    block: outsideTheWindow,
    logRows: outsideTheWindow,
    logs: outsideTheWindow,
    resolve: async () => undefined,
  }
  /** Filters whose last cursor the store has not accepted yet. */
  const uncommitted = new Set<string>()
  const filters = createFilters({
    chain: view,
    head,
    log: silentLog,
    pageSize: 4,
    pending,
    store: {
      ...store,
      async commit(id, ...rest) {
        uncommitted.add(id)
        const isCommitted = await store.commit(id, ...rest)
        uncommitted.delete(id)
        return isCommitted
      },
    },
    ttl: 60_000,
  })
  return {
    cursors: createCursors({ chain: view, head, store: async () => cursorStore }),
    filters,
    head,
    /** Waits until the cursors of all delivered pages are stored: a page comes again if its replica is killed before. */
    committed: () => until(() => expect(uncommitted.size).toBe(0)),
    /** As SIGKILL does: operations in flight never finish. */
    kill() {
      link.client.disconnect()
      void pending.stop()
      return head.stop()
    },
    async stop() {
      await pending.stop()
      await head.stop()
      await link.close()
    },
  }
}

/** A request whose response the test sends or loses. */
function createRequest() {
  const listeners: ((delivered: boolean) => void)[] = []
  const scope: ClientCall = {
    client: 'model',
    onDelivery: (listener) => void listeners.push(listener),
    signal: new AbortController().signal,
  }
  return {
    scope,
    end: (delivered: boolean) => listeners.splice(0).forEach((listener) => listener(delivered)),
  }
}

async function run(redis: TestRedis, script: readonly Event[]): Promise<void> {
  const chain = createScriptedChain({ seed: randomUUID() })
  const prefix = randomUUID()
  const replicas = [
    await startReplica(chain, redis.url, prefix),
    await startReplica(chain, redis.url, prefix),
  ]
  const of = (index: number) => replicas[index] as NonNullable<(typeof replicas)[number]>
  const undelivered: ReturnType<typeof createRequest>[] = []
  const received: RpcLog[] = []
  const announced: Hash[] = []
  const ids = {
    logs: await of(0).filters.createLogs({ client: 'model' }, { addresses: [], topics: [] }),
    blocks: await of(0).filters.createBlocks({ client: 'model' }),
  }
  await of(0).cursors.open(OWNER, 'a', { addresses: [], topics: [] })
  /** The logs of the cursor whose page was acknowledged. */
  const processed: RpcLog[] = []
  /** The last page of the cursor, until a client knows whether its acknowledgement was accepted. */
  let held: { logs: RpcLog[]; cursor: string } | undefined
  let minedLogs = 0

  const blockOf = (count: number): Script => ({
    logs: Array.from({ length: count }, () => [
      { address: '33'.repeat(20), topics: [(minedLogs++).toString(16).padStart(64, '0')] },
    ]),
  })

  /** A client that keeps what it receives: a removed log must be the last that it has. */
  function receive(filter: 'logs' | 'blocks', page: (RpcLog | Hash)[]) {
    for (const item of page)
      if (typeof item === 'string') announced.push(item)
      else take(received, item)
    expect(page.every((item) => (typeof item === 'string') === (filter === 'blocks'))).toBe(true)
  }

  async function poll(index: number, filter: 'logs' | 'blocks', outcome: 'sent' | 'lost') {
    const request = createRequest()
    const page = fromPrepared(await of(index).filters.changes(ids[filter], request.scope))
    if (outcome === 'sent') receive(filter, page)
    request.end(outcome === 'sent')
    return page
  }

  /** Acknowledges the page that is held. An answer that is lost leaves it held, and the next call repeats it. */
  async function acknowledge(index: number) {
    if (!held) return
    const { cursor, logs } = held
    expect(await of(index).cursors.acknowledge(OWNER, 'a', cursor)).toBe(true)
    held = undefined
    for (const item of logs) take(processed, item)
    expect(await of(1 - index).cursors.acknowledge(OWNER, 'a', cursor)).toBe(true)
  }

  /** The next page of the cursor, read twice or once, and acknowledged or not. */
  async function next(index: number, limit: number, use: 'acknowledge' | 'repeat' | 'nothing') {
    if (held) return acknowledge(index)
    const { hash } = chain.head()
    const isSettled = replicas.every(({ head }) => head.latest().hash === hash)
    const { cursor, logs } = await of(index).cursors.next(OWNER, 'a', { call: {}, limit })
    let page = { cursor, logs: fromPrepared(logs) }
    if (use === 'repeat') {
      const again = await of(1 - index).cursors.next(OWNER, 'a', { call: {}, limit: limit + 1 })
      const other = { cursor: again.cursor, logs: fromPrepared(again.logs) }
      // A reorg that a replica receives in between may remove the page.
      if (page.logs.length > 0 && isSettled) expect(other).toEqual(page)
      page = other
    }
    if (page.logs.length === 0 || use === 'nothing') return undefined
    held = page
    return acknowledge(index)
  }

  async function happen(event: Event) {
    switch (event.kind) {
      case 'mine':
        chain.mine(blockOf(event.logs))
        break
      case 'reorg': {
        const depth = Math.min(event.depth, chain.head().number)
        if (depth > 0)
          chain.reorg(
            depth,
            Array.from({ length: depth + event.longer }, () => blockOf(event.logs)),
          )
        break
      }
      case 'poll':
        // Redis may be unreachable, or the replica behind. The poll then fails, and no page is lost.
        await poll(event.replica, event.filter, event.outcome).catch((error: unknown) => {
          if (!(error instanceof RpcError) || error.code !== -32603) throw error
        })
        break
      case 'next':
        await next(event.replica, event.limit, event.use).catch((error: unknown) => {
          if (!(error instanceof RpcError) || error.code !== -32603) throw error
        })
        break
      case 'crash': {
        const old = of(event.replica)
        const request = createRequest()
        if (event.polling) await old.filters.changes(ids.logs, request.scope).catch(() => undefined)
        undelivered.push(request)
        await old.committed()
        void old.kill()
        replicas[event.replica] = await startReplica(chain, redis.url, prefix)
        break
      }
      case 'redis':
        await redis.stop()
        await redis.start()
    }
    for (const { head } of replicas) head.pollNow()
    await sleep(event.pause)
  }

  for (const event of script) await happen(event)

  await until(() => {
    for (const { head } of replicas) {
      head.pollNow()
      expect(head.latest().hash).toBe(chain.head().hash)
      expect(head.status().role).not.toBe('standalone')
    }
  })
  // A replica that was started again may still be connecting to Redis.
  const pollAgain = (index: number, filter: 'blocks' | 'logs') =>
    until(() => poll(index, filter, 'sent'))
  // Pages of ended replicas are free after their lease, which Redis counts: the last polls begin later than that.
  let last = Date.now()
  for (let index = 0, began = last; began - last < 1.2 * LEASE; index = 1 - index) {
    began = Date.now()
    const pages = [await pollAgain(index, 'logs'), await pollAgain(index, 'blocks')]
    if (pages.some(({ length }) => length > 0)) last = Date.now()
    else await sleep(60)
  }
  let isEnd = false
  while (!isEnd) {
    await until(() => acknowledge(0))
    const page = await of(1).cursors.next(OWNER, 'a', { call: {}, limit: 4 })
    held = { cursor: page.cursor, logs: fromPrepared(page.logs) }
    isEnd = held.logs.length === 0
  }
  const canonical = of(0).head.window()?.blocks ?? []
  expect(processed.map(nameOf)).toEqual(canonical.flatMap(({ logs }) => logs.map(nameOf)))
  expect(received.map(nameOf)).toEqual(canonical.flatMap(({ logs }) => logs.map(nameOf)))
  expect(new Set(announced).size).toBe(announced.length)
  const hashes: Hash[] = chain
    .canonical()
    .map(({ hash }) => hash)
    .slice(1)
  expect(announced.filter((hash) => hashes.includes(hash))).toEqual(hashes)
  for (const request of undelivered) request.end(false)
  await Promise.all(replicas.map((replica) => replica.stop()))
}

const OWNER = { client: 'model' }

/** Adds a log to those that a client has. A removed one must be the last of them. */
function take(logs: RpcLog[], log: RpcLog): void {
  if (log.removed) expect(nameOf(logs.pop() as RpcLog)).toBe(nameOf(log))
  else logs.push(log)
}

const nameOf = ({ blockHash, logIndex }: RpcLog) => `${blockHash}:${logIndex}`

const RUNS = Number(process.env['MODEL_RUNS'] ?? 6)
const SEED = Number(process.env['MODEL_SEED'] ?? randomInt(2 ** 31 - LANES))

// Runs mostly wait, so several run at once, each lane with its own Redis.
describe.skipIf(redisServerMissing !== undefined)('two replicas on one Redis', () => {
  test.concurrent.for(Array.from({ length: LANES }, (_, lane) => lane))(
    'behavior: whatever happens, a client converges to the canonical logs and blocks, lane %i',
    { timeout: 300_000 },
    async (lane, { onTestFinished }) => {
      const redis = await startRedis()
      onTestFinished(() => redis.close())
      const scripts = fc.array(events, { minLength: 10, maxLength: 60, size: 'max' })
      const property = fc.asyncProperty(scripts, (script) => run(redis, script))
      const numRuns = Math.ceil(RUNS / LANES)
      const outcome = await fc.check(property, { endOnFailure: true, numRuns, seed: SEED + lane })
      // The report has the script that failed.
      const report = fc.defaultReportMessage(outcome)
      expect({ report, error: outcome.errorInstance }).toEqual({ report: undefined, error: null })
    },
  )
  process.stdout.write(`MODEL_SEED=${SEED} MODEL_RUNS=${RUNS}\n`)
})
