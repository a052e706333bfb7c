import { randomUUID } from 'node:crypto'

import type { Hash } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { startGateway } from '../../../test/support/gateway.ts'
import { explainSkip, redisMissing, someRedis } from '../../../test/support/redis.ts'
import { until } from '../../../test/support/until.ts'
import { createDevChain } from '../../devchain/index.ts'
import type { ChainUpdate, RecentBlock } from '../head/headTypes.ts'
import { createPendingFeed } from './pending.ts'
import { createMemoryPendingLog } from './pendingLog.ts'

const POOL = '/wallet/gettransactionlistfrompending'

test('behavior: a transaction that is sent through the gateway is announced at once, without the mempool', async () => {
  const dev = await createDevChain({ mining: { blockTime: 3_600 } })
  await dev.start()
  onTestFinished(() => dev.close())
  const client = await startGateway({
    keys: dev.accounts.map(({ key }) => key),
    transport: {
      ...dev.transport,
      // The mempool cannot be read, so only the gateway knows the transaction.
      send: (path, ...rest) =>
        path === POOL
          ? Promise.resolve({ status: 503, text: '' })
          : dev.transport.send(path, ...rest),
    },
  })
  const socket = await client.socket()
  onTestFinished(() => socket.close())
  const subscription = await socket.rpc<string>('eth_subscribe', 'newPendingTransactions')
  const filter = await client.rpc<string>('eth_newPendingTransactionFilter')
  const [from, to] = await client.rpc<string[]>('eth_accounts')
  const hash = await client.rpc('eth_sendTransaction', { from, to, value: '0x1' })
  await until(() => expect(socket.of(subscription)).toEqual([hash]))
  expect(await client.rpc('eth_getFilterChanges', filter)).toEqual([hash])
})

test('behavior: what other replicas add to the log while this one cannot read it comes with its block', async () => {
  const log = createMemoryPendingLog()
  const life = { isDown: true, reads: 0 }
  const read = async <value>(answer: Promise<value>) => {
    if (life.isDown) throw new Error('down')
    life.reads++
    return answer
  }
  let update: ((update: ChainUpdate) => void) | undefined
  const feed = createPendingFeed({
    head: {
      onUpdate: (listener) => ((update = listener), () => {}),
      status: () => ({ role: 'follower' }),
      window: () => undefined,
    },
    log: {
      ...log,
      position: () => read(log.position()),
      recent: (limit) => read(log.recent(limit)),
    },
    native: { wallet: { getTransactionListFromPending: async () => ({}) } },
    onError() {},
  })
  onTestFinished(() => feed.stop())
  const found: Hash[] = []
  feed.listen((hashes) => void found.push(...hashes))
  await feed.listening()
  const hash: Hash = `0x${'01'.repeat(32)}`
  await log.append([hash])
  life.isDown = false
  await until(() => expect(life.reads).toBeGreaterThan(0))
  const block = { number: 5, transactions: [hash] } as Partial<RecentBlock> as RecentBlock
  update?.({ added: [block], removed: [] } as Partial<ChainUpdate> as ChainUpdate)
  expect(found).toEqual([hash])
})

explainSkip(redisMissing)

describe.skipIf(redisMissing !== undefined)('two replicas', () => {
  let redis: Awaited<ReturnType<typeof someRedis>>
  beforeAll(async () => {
    redis = await someRedis()
  })
  afterAll(() => redis?.close())

  test('behavior: a new leader does not announce the mempool again', async () => {
    const chain = createScriptedChain({ seed: randomUUID() })
    const config = { redis: redis.url, redisPrefix: randomUUID() }
    const gateways = [await startGateway({ chain, config }), await startGateway({ chain, config })]
    const roleOf = (one: (typeof gateways)[number]) => one.gateway.health().head.role
    const [leader, follower] = gateways.toSorted((a) => (roleOf(a) === 'leader' ? -1 : 1)) as [
      (typeof gateways)[number],
      (typeof gateways)[number],
    ]
    expect([roleOf(leader), roleOf(follower)]).toEqual(['leader', 'follower'])
    const socket = await follower.socket()
    const subscription = await socket.rpc<string>('eth_subscribe', 'newPendingTransactions')
    const filter = await follower.rpc<string>('eth_newPendingTransactionFilter')
    const expected: Hash[] = []
    const found: Hash[] = []
    const add = (byte: string) => {
      chain.pending.push(byte.repeat(32))
      expected.push(`0x${byte.repeat(32)}`)
    }
    const arrived = () =>
      until(async () => {
        found.push(...(await follower.rpc<Hash[]>('eth_getFilterChanges', filter)))
        expect(found).toEqual(expected)
        expect(socket.of(subscription)).toEqual(expected)
      })
    add('01')
    add('02')
    await arrived()
    await leader.close()
    await until(() => expect(roleOf(follower)).toBe('leader'))
    const before = chain.calls.get(POOL) ?? 0
    await until(() => expect(chain.calls.get(POOL)).toBeGreaterThan(before + 1))
    add('03')
    await arrived()
  })
})
