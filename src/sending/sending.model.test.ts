import { setImmediate } from 'node:timers/promises'

import fc from 'fast-check'
import type { Hash } from 'viem'
import { expect, onTestFinished, test } from 'vitest'

import { isLong } from '../../test/support/long.ts'
import { connectLosing, type LosingRedis } from '../../test/support/losingRedis.ts'
import { explainSkip, redisMissing, someRedis } from '../../test/support/redis.ts'
import type { ChainUpdate, Head, RecentBlock } from '../chain/head/headTypes.ts'
import { LimitExceededError, RpcError, UpstreamError } from '../lib/errors.ts'
import { StoreUnavailableError } from '../lib/redis.ts'
import type { NativeClient } from '../native/client.ts'
import { NodeTimeoutError, NodeUnreachableError } from '../native/errors.ts'
import type { BroadcastResult } from '../native/wire/accountTypes.ts'
import { createFollow } from './follow.ts'
import { createMemorySentStore } from './memorySentStore.ts'
import { createRedisSentStore } from './redisSentStore.ts'
import type { SentStore } from './sentStore.ts'
import { createSharedSentStore } from './sharedSentStore.ts'
import { createSubmission } from './submission.ts'

/**
 * Three replicas that send the same Ethereum transactions, through a node that answers anything, on a chain that removes blocks, with a
 * store that may lose its last writes. Every call to the store and to the node stops before and after it, and chance says which one
 * continues: so requests, blocks, the end of a process and what others restore come between any two steps.
 */

const from = `0x${'a1'.repeat(20)}` as const
const hash = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`

/** Blocks that a transaction lives, and that are not solidified. */
const LIFETIME = 6
const UNSOLID = 3

/** The first amount of the transactions that are only signed, and of those that eth_sendTransaction signs and sends. */
const SIGNED = 10
const PAID = 100

/** Answers of a node. `Has` means that it has the transaction in its pool then. */
const ANSWERS = [
  'accepted',
  'refused',
  'busy',
  'busyHas',
  'duplicate',
  'resetBefore',
  'resetAfter',
  'hang',
  'hangHas',
  'errorHas',
  'tooLargeHas',
  'notSent',
] as const

type Answer = (typeof ANSWERS)[number]

const replica = fc.nat(2)
const eventArb = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('send'), replica, alias: fc.nat(1) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('steps'), count: fc.nat(40) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('block'), takes: fc.nat(15) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('deliver'), replica }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reorg'),
      depth: fc.integer({ min: 1, max: UNSOLID - 1 }),
      takes: fc.nat(15),
      isDropped: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill'), replica }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pay'), replica }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash'), loses: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('sign'), replica, value: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('sendSigned'),
      replica,
      which: fc.nat(5),
      isElsewhere: fc.boolean(),
    }),
  },
)

const fault = fc.oneof(
  { weight: 12, arbitrary: fc.constant('none' as const) },
  { weight: 1, arbitrary: fc.constantFrom('before' as const, 'after' as const) },
)

/** Half of the answers are of a busy node that kept the bytes, or a refusal: a busy node is asked again, and can then refuse what it has. */
const answerArb = fc.oneof(
  fc.constantFrom(...ANSWERS),
  fc.constantFrom('busyHas' as const, 'refused' as const),
)

const runArb = fc.record({
  events: fc.array(eventArb, { minLength: 5, maxLength: 40 }),
  answers: fc.array(answerArb, { minLength: 4, maxLength: 12 }),
  faults: fc.array(fault, { minLength: 6, maxLength: 20 }),
  /** Whether the node shows a transaction that it has, at each look. A node that stands shows none. */
  shows: fc.oneof(fc.array(fc.boolean(), { minLength: 3, maxLength: 9 }), fc.constant([false])),
  picks: fc.array(fc.nat(20), { minLength: 5, maxLength: 40 }),
  /** Whether the two Ethereum transactions have one nonce, as when a wallet replaces one with a higher price. */
  replaces: fc.boolean(),
})

type Run = typeof runArb extends fc.Arbitrary<infer value> ? value : never

/** Values in turn, again and again. */
function inTurn<value>(values: readonly value[]) {
  let at = 0
  return () => values[at++ % values.length] as value
}

/** @param redis - where the store is, which loses its last writes in a crash; absent for one that loses nothing */
async function play(run: Run, store: SentStore, redis?: LosingRedis): Promise<void> {
  const nextAnswer = inTurn<Answer>(run.answers)
  const nextFault = inTurn(run.faults)
  const nextShows = inTurn(run.shows)
  const nextPick = inTurn(run.picks)
  let isCalm = false
  let signed = 0
  let busy = 0
  /** Replicas that wait until all have restored what they know in the present run of Redis. */
  const waiting = new Set<() => void>()
  const gates: (() => void)[] = []
  /** The Ethereum transaction of each native one, and when it expires. */
  const natives = new Map<Hash, { alias: number; expiration: number }>()
  const pool = new Set<Hash>()
  /** What was recorded: nothing else may reach a node. */
  const recorded = new Set<Hash>()
  /** By Ethereum transaction: what was recorded until the last refusal that freed its record. */
  const recordedBefore = new Map<number, ReadonlySet<Hash>>()

  // The chain.
  let branch = 0
  let chain: RecentBlock[] = []
  const updates: ChainUpdate[] = []
  const solidified = () => chain[Math.max(0, chain.length - 1 - UNSOLID)] as RecentBlock
  const has = (id: Hash) => chain.some(({ transactions }) => transactions.includes(id))
  const canBeMined = (id: Hash) =>
    pool.has(id) && !has(id) && (natives.get(id)?.expiration ?? 0) > (chain.at(-1)?.timestamp ?? 0)

  const canStillBeMined = (id: Hash) =>
    (natives.get(id)?.expiration ?? 0) > (chain.at(-1)?.timestamp ?? 0)

  function blockWith(takes: number): RecentBlock {
    const number = chain.length
    const transactions = [...pool].filter(
      (id, index) => canBeMined(id) && (takes >> (index % 4)) & 1,
    )
    const block = {
      number,
      hash: hash(1_000_000 + number * 1_000 + branch),
      parentHash: chain.at(-1)?.hash ?? hash(0),
      timestamp: number * 1_000,
      transactions,
    } as unknown as RecentBlock
    chain = [...chain, block]
    return block
  }

  function addBlock(takes: number): void {
    const added = [blockWith(takes)]
    updates.push({ added, removed: [], solidified: solidified() })
  }

  function reorg(depth: number, takes: number, isDropped: boolean): void {
    const solid = solidified().number
    const kept = Math.max(solid + 1, chain.length - depth)
    const removed = chain.slice(kept).toReversed()
    if (removed.length === 0) return
    branch += 1
    chain = chain.slice(0, kept)
    // A node may drop the transactions of the removed blocks.
    for (const { transactions } of removed)
      for (const id of transactions) if (isDropped) pool.delete(id)
    const added = Array.from({ length: removed.length + 1 }, (_, index) =>
      blockWith(takes >> index),
    )
    updates.push({ added, removed, solidified: solidified() })
  }

  // The interleaving.
  async function quiet(): Promise<void> {
    await setImmediate()
    if (busy > 0) await quiet()
  }
  async function step(): Promise<boolean> {
    await quiet()
    letGo()
    await quiet()
    const [resolve] = gates.splice(nextPick() % Math.max(1, gates.length), 1)
    resolve?.()
    await quiet()
    return resolve !== undefined
  }

  type Life = {
    isDead: boolean
    /** The run of Redis in which it has restored what it knows. */
    run: string
    look: () => Promise<void>
    /** Those that it waits for. */
    commands: number
  }
  const lives = new Set<Life>()
  /** Replicas wait for 3 s. What they have asked Redis before takes 2 s at most, and what they know is restored then. */
  const isSettled = () =>
    [...lives].every(({ commands, run: known }) => commands === 0 && known === redis?.runId())
  function letGo(): void {
    if (!isSettled()) return
    for (const resolve of waiting) resolve()
    waiting.clear()
  }
  /** A replica looks every second, until it has restored what it knows. */
  async function restore(life: Life): Promise<void> {
    while (!life.isDead && life.run !== redis?.runId()) await life.look()
  }
  async function crash(loses: number): Promise<void> {
    if (!redis) return
    await quiet()
    await redis.lose(loses)
    // Those that waited for the run before are told by their next write.
    for (const resolve of waiting) resolve()
    waiting.clear()
    for (const life of lives) void restore(life)
  }
  /** What a replica and Redis lose together is lost for good, so Redis loses only what was written after the last end of a replica. */
  function kill(index: number): void {
    const { life } = at(index)
    if (redis && life.run !== redis.runId()) return
    redis?.hold()
    life.isDead = true
    lives.delete(life)
    replicas[index] = startReplica()
  }

  function startReplica() {
    const life: Life = { isDead: false, run: '', look: async () => {}, commands: 0 }
    lives.add(life)
    const gate = () =>
      new Promise<void>((resolve) => gates.push(() => (life.isDead ? undefined : resolve())))
    /** A call that begins and ends when chance says so. */
    const slowly = async <value>(call: () => Promise<value>): Promise<value> => {
      await gate()
      busy += 1
      const result = await call().finally(() => (busy -= 1))
      await gate()
      return result
    }
    const faulty =
      <args extends unknown[], value>(call: (...args: args) => Promise<value>) =>
      async (...args: args): Promise<value> => {
        life.commands += 1
        return slowly(async () => {
          const fault = isCalm ? 'none' : nextFault()
          if (fault === 'before') throw new StoreUnavailableError(new Error('lost'))
          const result = await call(...args)
          if (fault === 'after') throw new StoreUnavailableError(new Error('lost'))
          return result
        }).finally(() => (life.commands -= 1))
      }
    /** What the last one of the store has recorded, or dropped because of a refusal. */
    const noteReserved = (id: Hash) => recorded.add(id)
    const noteRefused = (id: Hash) => {
      const { alias } = natives.get(id) ?? {}
      if (alias !== undefined) recordedBefore.set(alias, new Set(recorded))
    }
    const inMemory = (): SentStore => ({
      ...store,
      reserve: faulty(async (sent: Parameters<SentStore['reserve']>[0]) => {
        const reservation = await store.reserve(sent)
        if (reservation.outcome === 'reserved') noteReserved(sent.id)
        return reservation
      }),
      change: faulty(async (...call: Parameters<SentStore['change']>) => {
        const result = await store.change(...call)
        if (call[1].event === 'refused' && !result.sent) noteRefused(call[0])
        return result
      }),
      find: faulty((hash: Hash) => store.find(hash)),
      pick: faulty((ids: readonly Hash[]) => store.pick(ids)),
      unfinished: faulty((options: Parameters<SentStore['unfinished']>[0]) =>
        store.unfinished(options),
      ),
      mined: faulty((options: { upTo: number; limit: number }) => store.mined(options)),
      ending: faulty((hash: Hash) => store.ending(hash)),
    })
    const inRedis = (shared: LosingRedis): SentStore =>
      createSharedSentStore({
        redis: {
          ...shared,
          onStatus: () => () => {},
          run: (commands) => faulty(() => shared.run(commands))(),
          script(lua) {
            const call = shared.script(lua)
            return faulty(async (keys: string[], args: (number | string)[]) => {
              const answer = await call(keys, args)
              const { id, state } = JSON.parse(String(args[1] ?? '{}')) as {
                id: Hash
                state: string
              }
              if (Array.isArray(answer) && answer[0] === 'reserved') noteReserved(id)
              if (typeof answer === 'number' && state === 'ended') noteRefused(id)
              return answer
            })
          },
        },
        wait: (_, run) =>
          new Promise<void>((resolve) => {
            life.run = run
            waiting.add(resolve)
          }),
        watch(look) {
          life.look = look
          return () => {}
        },
      })
    const own = redis ? inRedis(redis) : inMemory()
    let blocks: RecentBlock[] = []
    let applied = 0
    let solid: RecentBlock = solidified()
    let listener: (update: ChainUpdate) => void = () => {}
    const head: Pick<Head, 'at' | 'blockWith' | 'onUpdate' | 'window'> = {
      at: (number) => blocks.find((block) => block.number === number),
      blockWith: (id) => blocks.find(({ transactions }) => transactions.includes(id)),
      window: () =>
        blocks.length > 0 ? { blocks, orphans: new Map(), solidified: solid } : undefined,
      onUpdate(given) {
        listener = given
        return () => {}
      },
    }
    const native = {
      wallet: {
        broadcastHex: ({ transaction }: { transaction: string }) =>
          slowly(async () => answer(`0x${transaction}`)),
        getTransactionById: ({ value }: { value: string }) =>
          slowly(async () =>
            nextShows() && (pool.has(`0x${value}`) || has(`0x${value}`)) ? {} : undefined,
          ),
      },
      solidity: {
        // A node that stands shows nothing.
        getTransactionById: () => slowly(async () => undefined),
        getBlock: ({ id_or_num }: { id_or_num: string }) =>
          slowly(async () => {
            const block = chain[Number(id_or_num)]
            if (!block || block.number > solidified().number) return undefined
            return {
              blockID: block.hash.slice(2),
              block_header: {
                raw_data: { parentHash: block.parentHash.slice(2), timestamp: block.timestamp },
              },
              transactions: block.transactions.map((id) => ({ txID: id.slice(2) })),
            }
          }),
      },
    } as unknown as NativeClient
    const submission = createSubmission({
      assertKept: async () => {},
      chain: { latest: () => blocks.at(-1) as never, solid: () => solid },
      contracts: { refresh: async () => {} },
      head: { ...head, pollNow() {} },
      native,
      onError() {},
      onReplaced() {},
      onSent() {},
      async sign({ value }) {
        const id = hash(++signed)
        const expiration = (blocks.at(-1)?.timestamp ?? 0) + LIFETIME * 1_000
        natives.set(id, { alias: Number(value), expiration })
        return { id, hex: id.slice(2), transaction: { raw_data: { expiration } } as never }
      },
      sleep: async () => {},
      store: own,
    })
    createFollow({
      contracts: { refresh: async () => {} },
      head,
      native,
      onError() {},
      resend: (id) => submission.resend(id),
      store: own,
    }).start()
    /** The window begins at the solidified block. */
    function deliver(): void {
      const update = blocks.length === 0 ? beginning() : updates[applied]
      if (!update) return
      if (blocks.length > 0) applied += 1
      blocks = [...blocks.slice(0, blocks.length - update.removed.length), ...update.added]
      solid = update.solidified as RecentBlock
      listener(update)
    }
    function beginning(): ChainUpdate {
      applied = updates.length
      return { added: chain.slice(solidified().number), removed: [], solidified: solidified() }
    }
    deliver()
    return { deliver, isBehind: () => applied < updates.length, life, submission }
  }

  function answer(id: Hash): BroadcastResult {
    if (!recorded.has(id)) failures.push(new Error('broadcast without a record'))
    const kind = isCalm ? 'accepted' : nextAnswer()
    const isKnown = pool.has(id) || has(id)
    if (kind === 'accepted' || kind === 'resetAfter' || kind.endsWith('Has')) pool.add(id)
    switch (kind) {
      case 'accepted':
        return isKnown ? { code: 'DUP_TRANSACTION_ERROR' } : { result: true }
      case 'refused':
        return { result: false, code: 'CONTRACT_VALIDATE_ERROR', message: 'no' }
      case 'busy':
      case 'busyHas':
        return { result: false, code: 'NOT_ENOUGH_EFFECTIVE_CONNECTION' }
      case 'duplicate':
        return { result: false, code: 'DUP_TRANSACTION_ERROR' }
      case 'hang':
      case 'hangHas':
        throw new NodeTimeoutError(1)
      case 'errorHas':
        throw new UpstreamError('failed')
      case 'tooLargeHas':
        throw new LimitExceededError('too large')
      case 'notSent':
        throw new NodeUnreachableError({
          cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
        })
      case 'resetBefore':
      case 'resetAfter':
    }
    throw new NodeUnreachableError({ cause: Object.assign(new Error(), { code: 'ECONNRESET' }) })
  }

  /** The native transactions of an Ethereum one that are mined, or can be. */
  const alive = (alias: number) =>
    [...natives].filter(([id, native]) => native.alias === alias && (has(id) || canBeMined(id)))
  /** What clients have got from eth_signTransaction, which they may send through a replica or elsewhere. */
  const held: { hex: string; id: Hash; nonce: number }[] = []
  const answered = new Set<number>()
  /** The amounts of eth_sendTransaction, which are one transaction each. */
  const paid: number[] = []
  const told = new Set<number>()
  const check = () => {
    for (const amount of told) expect(alive(amount), 'told that it was not sent').toEqual([])
    for (const amount of [0, 1, ...paid]) expect(alive(amount).length, 'paid twice').toBeLessThan(2)
    const both = alive(0).length + alive(1).length
    expect(both, 'paid and replaced').toBeLessThan(run.replaces ? 2 : 3)
    const open = held.filter(({ id }) => has(id) || canStillBeMined(id))
    const ofNonce = (nonce: number) =>
      new Set(open.flatMap((one) => (one.nonce === nonce ? one.id : [])))
    for (const { nonce } of open)
      expect(ofNonce(nonce).size, 'two signed for a nonce').toBeLessThan(2)
  }

  addBlock(0)
  const replicas = [startReplica(), startReplica(), startReplica()]
  const at = (index: number) => replicas[index] as (typeof replicas)[number]
  const alias = (n: number) => hash(500_000 + n)
  function send(index: number, n: number): void {
    const nonce = run.replaces ? 0 : undefined
    const request = { from, nonce, value: BigInt(n), data: '0x' } as const
    at(index)
      .submission.submit(request, alias(n))
      .then(
        () => answered.add(n),
        (error: RpcError) => {
          expect(error).toBeInstanceOf(RpcError)
          // A refusal is told only while nothing can be mined of what was recorded before. Then another request can record what it has signed.
          const before = recordedBefore.get(n) ?? natives
          const left = alive(n).filter(([id]) => before.has(id))
          if (error.code === -32000) expect(left, 'refused, and alive').toEqual([])
        },
      )
      .catch((error: unknown) => failures.push(error))
  }
  function pay(index: number): void {
    const amount = PAID + paid.length
    paid.push(amount)
    at(index)
      .submission.submit({ from, value: BigInt(amount), data: '0x' })
      .catch((error: RpcError) => {
        // A client that is told so pays again.
        if (error.code !== -32003) told.add(amount)
      })
  }
  function signFor(index: number, value: number): void {
    const request = { from, value: BigInt(SIGNED + value), data: '0x' } as const
    at(index)
      .submission.sign(request)
      .then(
        (one) => held.push(one),
        (error: RpcError) => expect(error).toBeInstanceOf(RpcError),
      )
      .catch((error: unknown) => failures.push(error))
  }
  function sendSigned(index: number, which: number, isElsewhere: boolean): void {
    const one = held[which % Math.max(1, held.length)]
    if (!one) return
    if (isElsewhere) return void pool.add(one.id)
    const { expiration } = natives.get(one.id) ?? {}
    const transaction = { raw_data: { expiration } } as never
    at(index)
      .submission.submitSigned({ hex: one.hex, id: one.id, transaction }, async () => from)
      .catch((error: unknown) => expect(error).toBeInstanceOf(RpcError))
      .catch((error: unknown) => failures.push(error))
  }
  const failures: unknown[] = []

  for (const event of run.events) {
    if (event.kind === 'send') send(event.replica, event.alias)
    else if (event.kind === 'pay') pay(event.replica)
    else if (event.kind === 'sign') signFor(event.replica, event.value)
    else if (event.kind === 'sendSigned') sendSigned(event.replica, event.which, event.isElsewhere)
    else if (event.kind === 'block') addBlock(event.takes)
    else if (event.kind === 'deliver') at(event.replica).deliver()
    else if (event.kind === 'reorg') reorg(event.depth, event.takes, event.isDropped)
    else if (event.kind === 'crash') await crash(event.loses)
    else if (event.kind === 'kill') kill(event.replica)
    else for (let count = event.count; count > 0 && (await step()); count--) check()
    check()
  }

  const settle = async () => {
    for (let count = 0; (await step()) && count < 5_000; count++) check()
  }
  // Everything that was begun ends. Then there are no more faults, and the chain goes on until all of it has expired.
  await settle()
  isCalm = true
  for (let block = 0; block < LIFETIME + UNSOLID + 4; block++) {
    addBlock(15)
    for (const each of replicas) while (each.isBehind()) each.deliver()
    await settle()
    check()
  }
  expect(failures).toEqual([])
  expect(await store.unfinished({ limit: 100 }), 'a nonce is stuck').toEqual([])
  const mined = [...natives.keys()].filter(has)
  const records = await Promise.all(mined.map((id) => store.find(id)))
  expect(records.map((sent) => sent?.state)).toEqual(mined.map(() => 'final'))
  const nonces = new Set(records.map((sent) => sent?.nonce))
  expect(nonces.size, 'a nonce is used twice').toBe(mined.length)
  let free = 0
  while (nonces.has(free)) free += 1
  expect(await store.counts(from), 'nonces').toEqual({ mined: free, next: free })
  for (const n of answered) {
    const sent = await store.find(alias(n))
    const outcome = sent ? sent.state : (await store.ending(alias(n)))?.state
    expect(['final', 'expired', 'refused'], 'lost').toContain(outcome)
    expect(has(sent?.id ?? '0x')).toBe(outcome === 'final')
  }
}

const RUNS = isLong ? 3_000 : 150

test(
  'behavior: never two paid, none lost, no nonce stuck: in memory',
  { timeout: 300_000 },
  async () => {
    const property = fc.asyncProperty(runArb, (run) => play(run, createMemorySentStore()))
    expect(fc.defaultReportMessage(await fc.check(property, { numRuns: RUNS }))).toBeUndefined()
  },
)

explainSkip(redisMissing)

test.skipIf(redisMissing)(
  'behavior: never two paid, none lost, no nonce stuck: in Redis that loses its last writes',
  { timeout: 3_000_000 },
  async () => {
    const redis = await someRedis()
    onTestFinished(() => redis.close())
    const property = fc.asyncProperty(runArb, async (run) => {
      const losing = await connectLosing(redis.url)
      try {
        await play(run, createRedisSentStore({ redis: losing }), losing)
      } finally {
        await losing.close()
      }
    })
    const report = await fc.check(property, { numRuns: isLong ? RUNS : RUNS / 6 })
    expect(fc.defaultReportMessage(report)).toBeUndefined()
  },
)
