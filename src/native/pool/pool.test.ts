import { describe, expect, test } from 'vitest'

import { createScriptedChain } from '../../../test/chain.ts'
import type { Fault, ProxyTarget } from '../../../test/faultProxy.ts'
import { until } from '../../../test/until.ts'
import { startTestPool, targetOf, type TestPool, upstreamAt } from '../../../test/upstreams.ts'
import { openCallGroup } from '../../lib/callGroup.ts'
import { NodeBusyError } from '../errors.ts'
import { createUpstreamPool } from './pool.ts'

const ACCOUNT = `41${'22'.repeat(20)}`

/** Calls that no cache and no call under way can answer: a contract call with data of its own. */
let salt = 0
const readState = ({ native }: TestPool, signal?: AbortSignal) =>
  native.wallet.triggerConstantContract(
    {
      owner_address: ACCOUNT,
      contract_address: ACCOUNT,
      data: (salt++).toString(16).padStart(8, '0'),
    },
    { signal },
  )

const stateIs = (pool: TestPool, index: number, state: string) =>
  until(() => expect(pool.state(index)).toBe(state))

/** Tells the pool that clients were shown all blocks. */
function know({ chain, pool }: TestPool) {
  const hashes = new Map(chain.canonical().map(({ hash, number }) => [number, hash.slice(2)]))
  pool.setFloor({ hashAt: (number) => hashes.get(number), head: 30, solid: 28 })
}

describe('createUpstreamPool', () => {
  test('default', async () => {
    const pool = await startTestPool()
    await Promise.all(Array.from({ length: 40 }, () => readState(pool)))
    const [a, b] = pool.pool.status()
    expect([a?.state, b?.state]).toEqual(['healthy', 'healthy'])
    expect(a).toMatchObject({ head: 30, lag: 0, name: 'a', reason: undefined, solid: 28 })
    // Both share the work.
    expect(Math.min(a?.calls ?? 0, b?.calls ?? 0)).toBeGreaterThan(5)
  })

  test('args: tier, a node of a higher tier is asked only when the lower one cannot be', async () => {
    const pool = await startTestPool()
    const [own, hosted] = pool.nodes
    await pool.pool.update([
      upstreamAt(own?.url ?? '', 'own'),
      upstreamAt(hosted?.url ?? '', 'hosted', { tier: 1 }),
    ])
    for (let call = 0; call < 20; call++) await readState(pool)
    expect(pool.pool.status().map(({ calls }) => calls)).toEqual([20, 0])
    await own?.fail({ kind: 'refused' })
    for (let call = 0; call < 20; call++) await readState(pool)
    expect(pool.pool.status()[1]?.calls).toBe(20)
  })

  test.each<Fault>([
    { kind: 'refused' },
    { kind: 'reset' },
    { kind: 'cut' },
    { kind: 'status', status: 500 },
    { kind: 'status', status: 503, text: '<html>' },
    { kind: 'html' },
    { kind: 'empty' },
    { kind: 'truncated' },
    { kind: 'hang' },
    { kind: 'latency', ms: 4_000 },
  ])('behavior: no call fails while one of two nodes has: %o', async (fault) => {
    const pool = await startTestPool()
    await Promise.all(Array.from({ length: 60 }, () => readState(pool)))
    await pool.nodes[0]?.fail(fault)
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 5))
        return readState(pool)
      }),
    )
    expect(answers.every(({ result }) => result.result === true)).toBe(true)
    await stateIs(pool, 0, 'failing')
    await pool.nodes[0]?.heal()
    await stateIs(pool, 0, 'healthy')
    expect(pool.log).toContainEqual(expect.stringMatching(/^upstream a is failing: /))
    await until(() => expect(pool.log.at(-1)).toBe('upstream a is healthy'))
  })

  test.each<Fault>([{ kind: 'rateLimit' }, { kind: 'status', status: 429 }])(
    'behavior: a node over its limit gets less, the other answers: %o',
    async (fault) => {
      const pool = await startTestPool()
      await readState(pool)
      const only = ({ path }: { path: string }) => path.endsWith('triggerconstantcontract')
      await pool.nodes[0]?.fail(fault, { only })
      for (let call = 0; call < 40; call++) await readState(pool)
      // Half of them would be its share.
      expect(pool.pool.status()[0]?.busy).toBeLessThan(20)
      // The state lasts for two seconds after such an answer, in which a busy machine may make no call.
      await until(async () => {
        await readState(pool)
        expect(pool.state(0)).toBe('out of quota')
      })
    },
  )

  test('behavior: "unknown" is asked of a second node', async () => {
    const pool = await startTestPool()
    const block = { id_or_num: '20' }
    await pool.nodes[0]?.fail({ kind: 'unknown' }, { only: ({ body }) => body.includes('"20"') })
    for (let call = 0; call < 10; call++)
      expect((await pool.native.wallet.getBlock(block))?.block_header.raw_data.number).toBe(20)
    const infos = { only: ({ path }: { path: string }) => path.endsWith('infobyblocknum') }
    await pool.nodes[0]?.fail({ kind: 'unknown' }, infos)
    for (let call = 0; call < 10; call++)
      expect(await pool.native.wallet.getTransactionInfoByBlockNum({ num: 20 })).toHaveLength(1)
  })

  test('behavior: what both do not know is unknown', async () => {
    const pool = await startTestPool()
    const value = 'ab'.repeat(32)
    expect(await pool.native.wallet.getTransactionById({ value })).toBeUndefined()
    const asked = pool.nodes.flatMap((node) => node.taken())
    expect(asked.filter((path) => path === '/wallet/gettransactionbyid')).toHaveLength(2)
  })

  test('behavior: a real answer is not asked again', async () => {
    const extras: string[] = []
    const pool = await startTestPool({ onExtra: (why) => void extras.push(why) })
    let asked = 0
    const counting: ProxyTarget = async ({ body, path }) => {
      if (body.includes('"20"')) asked++
      return pool.chain.transport.send(path as '/wallet/x', body, { idempotent: true })
    }
    for (const node of pool.nodes) await node.fail({ kind: 'target', target: counting })
    const block = await pool.native.wallet.getBlock({ id_or_num: '20' })
    expect(block?.block_header.raw_data.number).toBe(20)
    // On a busy machine the second node may be asked beside the first: its answer is late then, not doubted.
    expect(extras.filter((why) => why !== 'hedge')).toEqual([])
    expect(asked).toBe(1 + extras.length)
  })

  test('behavior: a node of another chain is never used', async () => {
    const other = createScriptedChain({ seed: 'other' })
    for (let block = 0; block < 50; block++) other.mine()
    const pool = await startTestPool({ count: 3 })
    await readState(pool)
    await pool.nodes[1]?.fail({ kind: 'target', target: targetOf(other) })
    await pool.pool.update(
      pool.nodes.map(({ url }, index) => upstreamAt(url, `new ${index}`, { timeout: 2_000 })),
    )
    const states = () => pool.pool.status().map(({ state }) => state)
    await until(() => expect(states()).toEqual(['healthy', 'wrong chain', 'healthy']))
    pool.nodes[1]?.taken()
    for (let call = 0; call < 20; call++) {
      await readState(pool)
      expect((await pool.native.wallet.getBlock({}))?.block_header.raw_data.number).toBe(30)
    }
    const probes = ['/wallet/getblock', '/walletsolidity/getblock', '/wallet/getnodeinfo']
    const asked = pool.nodes[1]?.taken().filter((path) => !probes.includes(path))
    expect(asked?.filter((path) => !path.endsWith('getblockbalance'))).toEqual([])
  })

  test('behavior: a node that turns to another chain is left, and the other one stays', async () => {
    const other = createScriptedChain({ seed: 'other' })
    for (let block = 0; block < 50; block++) other.mine()
    other.solidify(45)
    const pool = await startTestPool()
    know(pool)
    // The first in the list, which would decide a tie.
    await pool.nodes[0]?.fail({ kind: 'target', target: targetOf(other) })
    const [first] = pool.chain.canonical()
    for (let call = 0; call < 10; call++)
      expect(await pool.native.wallet.getBlock({ id_or_num: '0' })).toMatchObject({
        blockID: first?.hash.slice(2),
      })
    await stateIs(pool, 0, 'wrong chain')
    pool.chain.mine()
    pool.chain.solidify(29)
    for (let call = 0; call < 10; call++) await readState(pool)
    expect(pool.state(1)).toBe('healthy')
  })

  test('behavior: no read is answered by a node that turns to another chain meanwhile', async () => {
    const pool = await startTestPool()
    const node =
      (balance: number, chain = pool.chain): ProxyTarget =>
      async ({ body, path }) =>
        path === '/wallet/getaccount'
          ? { status: 200, text: JSON.stringify({ address: ACCOUNT, balance }) }
          : chain.transport.send(path as '/wallet/x', body, { idempotent: true })
    const other = createScriptedChain({ seed: 'other' })
    for (let block = 0; block < 30; block++) other.mine()
    know(pool)
    for (const proxy of pool.nodes) await proxy.fail({ kind: 'target', target: node(1) })
    let salt = 0
    const balance = async () =>
      (await pool.native.call('wallet', 'getaccount', { address: ACCOUNT, salt: salt++ })) as {
        balance: number
      }
    for (let round = 0; round < 3; round++) {
      await stateIs(pool, 0, 'healthy')
      const reads = Array.from({ length: 40 }, () => balance())
      await pool.nodes[0]?.fail({ kind: 'target', target: node(2, other) })
      reads.push(...Array.from({ length: 40 }, () => balance()))
      expect(new Set((await Promise.all(reads)).map(({ balance }) => balance))).toEqual(
        new Set([1]),
      )
      await stateIs(pool, 0, 'wrong chain')
      await pool.nodes[0]?.fail({ kind: 'target', target: node(1) })
    }
  })

  test('behavior: a contract call tells its chain, so it costs no other call', async () => {
    const rarely = { probe: 60_000, probePatience: 5_000, ramp: 100, rest: 20, troubledProbe: 20 }
    const pool = await startTestPool({ timing: rarely })
    know(pool)
    let checks = 0
    const counting: ProxyTarget = async ({ body, path }) => {
      if (body === '{"id_or_num":"0"}') checks++
      return pool.chain.transport.send(path as '/wallet/x', body, { idempotent: true })
    }
    for (const node of pool.nodes) await node.fail({ kind: 'target', target: counting })
    for (let call = 0; call < 30; call++) await readState(pool)
    expect(checks).toBeLessThan(5)
    for (let call = 0; call < 30; call++) await pool.native.wallet.getAccount({ address: ACCOUNT })
    expect(checks).toBeGreaterThanOrEqual(30)
  })

  test('behavior: old balances are asked of nodes that keep them', async () => {
    const pool = await startTestPool()
    const lacks = '{"Error":"this API is unavailable due to config"}'
    const only = ({ path }: { path: string }) => path.endsWith('balance')
    await pool.nodes[0]?.fail({ kind: 'status', status: 200, text: lacks }, { only })
    // What a node offers is looked at when it is new.
    await pool.pool.update(pool.nodes.map(({ url }, index) => upstreamAt(url, `new ${index}`)))
    for (const node of pool.nodes) node.taken()
    const block_identifier = { hash: pool.chain.head().hash.slice(2), number: 30 }
    const body = { account_identifier: { address: ACCOUNT }, block_identifier }
    for (let call = 0; call < 20; call++)
      await pool.native.call('wallet', 'getaccountbalance', body).catch(() => {})
    const asked = pool.nodes.map(
      (node) => node.taken().filter((path) => path.endsWith('getaccountbalance')).length,
    )
    expect(asked).toEqual([0, 20])
  })

  test('behavior: a pruned node is not asked again for blocks as old as one that it lacked', async () => {
    const chain = createScriptedChain()
    for (let block = 0; block < 1_100; block++) chain.mine()
    const pool = await startTestPool({ chain })
    const old = ({ body }: { body: string }) => Number(/"(\d+)"/.exec(body)?.[1]) > 0
    const asked = pool.nodes[0]
    await asked?.fail({ kind: 'unknown' }, { only: old })
    const read = async (id_or_num: string) =>
      (await pool.native.wallet.getBlock({ id_or_num }))?.block_header.raw_data.number
    await until(async () => {
      expect(await read('50')).toBe(50)
      expect(asked?.taken()).toContain('/wallet/getblock')
    })
    const isKnown = async () => {
      const before = pool.pool.status()[0]?.calls
      for (let call = 1; call < 30; call++) expect(await read(String(call))).toBe(call)
      expect(pool.pool.status()[0]?.calls).toBe(before)
    }
    await until(isKnown)
  })

  test('behavior: a second node is asked beside one that is slow, and its answer is taken', async () => {
    const extras: string[] = []
    const pool = await startTestPool({ onExtra: (why) => void extras.push(why) })
    for (let call = 0; call < 100; call++) await readState(pool)
    const only = ({ path }: { path: string }) => path.endsWith('triggerconstantcontract')
    extras.length = 0
    await pool.nodes[0]?.fail({ kind: 'hang' }, { only })
    await until(async () => {
      expect((await readState(pool)).result.result).toBe(true)
      expect(extras).toContain('hedge')
    })
    // The call that lost is cancelled, so nothing stays under way.
    await until(() => expect(pool.pool.status().every(({ underway }) => underway === 0)).toBe(true))
  })

  test('behavior: a node below the floor is not asked, and is used again when it has caught up', async () => {
    const pool = await startTestPool()
    await readState(pool)
    await pool.nodes[0]?.fail({ kind: 'behind', blocks: 20 })
    pool.pool.setFloor({ head: 30, solid: 28 })
    await stateIs(pool, 0, 'lagging')
    pool.nodes[0]?.taken()
    for (let call = 0; call < 20; call++) await readState(pool)
    expect(pool.nodes[0]?.taken()).not.toContain('/wallet/triggerconstantcontract')
    await pool.nodes[0]?.heal()
    await stateIs(pool, 0, 'healthy')
    // It comes back with a small share of the calls.
    await until(async () => {
      await readState(pool)
      expect(pool.nodes[0]?.taken()).toContain('/wallet/triggerconstantcontract')
    })
  })

  test('behavior: a read waits for the first node that reaches the floor', async () => {
    const pool = await startTestPool()
    await readState(pool)
    pool.pool.setFloor({ head: 31, solid: 28 })
    const answer = readState(pool)
    pool.chain.mine()
    expect((await answer).result.result).toBe(true)
  })

  test('error: no node is at the floor', async () => {
    const pool = await startTestPool()
    await readState(pool)
    pool.pool.setFloor({ head: 40, solid: 28 })
    await expect(readState(pool)).rejects.toMatchObject({
      code: -32603,
      message: 'no upstream node has reached block 40 yet: the highest is at 30',
    })
  })

  test('error: all nodes have failed; the first that comes back is used', async () => {
    const pool = await startTestPool()
    await readState(pool)
    for (const node of pool.nodes) await node.fail({ kind: 'refused' })
    for (let call = 0; call < 20; call++)
      await expect(readState(pool)).rejects.toMatchObject({ code: -32603 })
    await expect(readState(pool)).rejects.toThrow(
      /^no upstream node can answer: a is failing \(.+\); b is failing \(.+\)$/,
    )
    await pool.nodes[1]?.heal()
    await until(() => readState(pool))
  })

  test('error: all nodes are over their limit', async () => {
    const pool = await startTestPool()
    await readState(pool)
    for (const node of pool.nodes) await node.fail({ kind: 'rateLimit' })
    await expect(readState(pool)).rejects.toThrow(NodeBusyError)
  })

  test('behavior: broadcasts go to one node after the other until one accepts', async () => {
    const pool = await startTestPool()
    await readState(pool)
    const refusing = '{"code":"SERVER_BUSY","message":"62757379"}'
    const accepting = '{"result":true,"txid":"00"}'
    const sends = { only: ({ path }: { path: string }) => path.endsWith('broadcasthex') }
    await pool.nodes[0]?.fail({ kind: 'status', status: 200, text: refusing }, sends)
    await pool.nodes[1]?.fail({ kind: 'status', status: 200, text: accepting }, sends)
    for (let round = 0; round < 4; round++)
      expect(await pool.native.wallet.broadcastHex({ transaction: '00' })).toMatchObject({
        result: true,
      })
    await pool.nodes[1]?.fail({ kind: 'reset' }, sends)
    expect(await pool.native.wallet.broadcastHex({ transaction: '00' })).toMatchObject({
      code: 'SERVER_BUSY',
    })
    const duplicate = '{"code":"DUP_TRANSACTION_ERROR","message":"647570"}'
    await pool.nodes[0]?.fail({ kind: 'status', status: 200, text: duplicate }, sends)
    expect(await pool.native.wallet.broadcastHex({ transaction: '00' })).toMatchObject({
      code: 'DUP_TRANSACTION_ERROR',
    })
  })

  test('behavior: builders stay on one node', async () => {
    const pool = await startTestPool()
    await readState(pool)
    for (const node of pool.nodes) node.taken()
    const request = { owner_address: ACCOUNT, to_address: ACCOUNT, amount: 1 }
    for (let call = 0; call < 10; call++)
      await pool.native.call('wallet', 'createtransaction', request)
    const built = pool.nodes.map(
      (node) => node.taken().filter((path) => path === '/wallet/createtransaction').length,
    )
    expect(built.toSorted((x, y) => x - y)).toEqual([0, 10])
  })

  test('behavior: reads of the newest state for one batch go to one node', async () => {
    const pool = await startTestPool()
    for (let batch = 0; batch < 5; batch++) {
      for (const node of pool.nodes) node.taken()
      const group = openCallGroup(new AbortController().signal)
      await Promise.all(Array.from({ length: 10 }, () => readState(pool, group.signal)))
      group.end()
      const asked = pool.nodes.map(
        (node) => node.taken().filter((path) => path.endsWith('triggerconstantcontract')).length,
      )
      expect(asked.toSorted((x, y) => x - y)).toEqual([0, 10])
    }
  })

  test('behavior: who has gone has no call under way at a node', async () => {
    const pool = await startTestPool()
    await readState(pool)
    const only = ({ path }: { path: string }) => path.endsWith('getaccount')
    for (const node of pool.nodes) await node.fail({ kind: 'hang' }, { only })
    const controller = new AbortController()
    const { signal } = controller
    const answer = pool.native.wallet.getAccount({ address: ACCOUNT }, { signal })
    await until(() => expect(pool.pool.status().some(({ underway }) => underway > 0)).toBe(true))
    controller.abort(new Error('gone'))
    await expect(answer).rejects.toThrow('gone')
    await until(() => expect(pool.pool.status().every(({ underway }) => underway === 0)).toBe(true))
  })

  test('args: headQuorum', async () => {
    const pool = await startTestPool({ headQuorum: 2 })
    const number = async () =>
      (await pool.native.wallet.getBlock({}))?.block_header.raw_data.number ?? 0
    expect(await number()).toBe(30)
    await pool.nodes[1]?.fail({ kind: 'behind', blocks: 0 })
    pool.chain.mine()
    expect(await number()).toBe(30)
    await pool.nodes[1]?.heal()
    expect(await number()).toBe(31)
    await pool.nodes[1]?.fail({ kind: 'refused' })
    await expect(number()).rejects.toThrow(/^only 1 upstream nodes tell their newest block/)
  })

  test('behavior: a node on another branch cannot lead away from what the majority solidified', async () => {
    const fork = createScriptedChain()
    const pool = await startTestPool({ count: 3 })
    for (let block = 0; block < 20; block++) fork.mine()
    // From here on the two chains differ, because one block of this one is thrown away.
    fork.reorg(
      1,
      Array.from({ length: 60 }, () => ({})),
    )
    await readState(pool)
    await pool.nodes[2]?.fail({ kind: 'target', target: targetOf(fork) })
    pool.chain.solidify(29)
    await stateIs(pool, 2, 'other branch')
    expect((await pool.native.wallet.getBlock({}))?.block_header.raw_data.number).toBe(30)
  })

  test('behavior: calls under way are finished when a node is taken out', async () => {
    const pool = await startTestPool()
    await readState(pool)
    const calls = Array.from({ length: 50 }, () => readState(pool))
    await pool.pool.update([upstreamAt(pool.nodes[1]?.url ?? '', 'b')])
    calls.push(...Array.from({ length: 50 }, () => readState(pool)))
    await Promise.all(calls)
    expect(pool.pool.status().map(({ name }) => name)).toEqual(['b'])
  })

  test('behavior: starts while all nodes are down', async () => {
    const pool = createUpstreamPool({ timeout: 500, upstreams: [dead('a'), dead('b')] })
    await expect(pool.send('/wallet/getblock', '{}', { idempotent: true })).rejects.toMatchObject({
      code: -32603,
    })
    await pool.close()
  })
})

const dead = (name: string) => upstreamAt('http://127.0.0.1:1', name)
