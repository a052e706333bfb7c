import { expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { type ProxyTarget, startFaultProxy } from '../../../test/support/faultProxy.ts'
import { until } from '../../../test/support/until.ts'
import {
  createForkedChain,
  ACCOUNT,
  readState,
  startTestPool,
  stateIs,
  targetOf,
  type TestPool,
  upstreamAt,
} from '../../../test/support/upstreams.ts'
import { createUpstreamPool } from './pool.ts'
import { TIMING } from './timing.ts'

/** Tells the pool that clients were shown all blocks. */
function know({ chain, pool }: TestPool) {
  const hashes = new Map(chain.canonical().map(({ hash, number }) => [number, hash.slice(2)]))
  pool.setFloor({ hashAt: (number) => hashes.get(number), head: 30, solid: 28 })
}

test('behavior: a node of another chain is never used', async () => {
  const other = createScriptedChain({ seed: 'other' })
  for (let block = 0; block < 50; block++) other.mine()
  const pool = await startTestPool({ count: 3 })
  await readState(pool)
  await pool.nodes[1]?.fail({ kind: 'target', target: targetOf(other) })
  await pool.pool.update(
    pool.nodes.map(({ url }, index) => upstreamAt(url, `new ${index}`, { timeout: 20_000 })),
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

test('behavior: a node that turns to another chain during a comparison does not exclude the other one', async () => {
  const chain = createScriptedChain()
  const other = createScriptedChain({ seed: 'other' })
  for (const one of [chain, other]) {
    for (let block = 0; block < 30; block++) one.mine()
    one.solidify(28)
  }
  const nodes = [await startFaultProxy(targetOf(chain)), await startFaultProxy(targetOf(chain))]
  // The first one decides a tie. It turns when it is asked for its solidified block.
  let hasTurned = false
  await nodes[0]?.fail(
    { kind: 'target', target: targetOf(other) },
    { only: ({ body }) => (hasTurned ||= body.includes('"28"')) },
  )
  const log: string[] = []
  const note = (_: object, message: string) => void log.push(message)
  const pool = createUpstreamPool({
    log: { info: note, warn: note },
    timing: { ...TIMING, probe: 100 },
    upstreams: nodes.map(({ url }, index) => upstreamAt(url, 'ab'[index])),
  })
  onTestFinished(async () => {
    await pool.close()
    await Promise.all(nodes.map((node) => node.close()))
  })
  await until(() => expect(pool.status()[0]?.state).toBe('wrong chain'))
  expect(log.filter((line) => line.startsWith('upstream b is'))).toEqual([])
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
    expect(new Set((await Promise.all(reads)).map(({ balance }) => balance))).toEqual(new Set([1]))
    await stateIs(pool, 0, 'wrong chain')
    await pool.nodes[0]?.fail({ kind: 'target', target: node(1) })
  }
})

test('behavior: a contract call tells its chain, so it costs no other call', async () => {
  const rarely = { probe: 60_000, probeTimeout: 5_000, ramp: 100, rest: 20, troubledProbe: 20 }
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

test('behavior: a node on another branch cannot lead away from what the majority solidified', async () => {
  const fork = createForkedChain({ from: 20, to: 79 })
  const pool = await startTestPool({ count: 3 })
  await readState(pool)
  await pool.nodes[2]?.fail({ kind: 'target', target: targetOf(fork) })
  pool.chain.solidify(29)
  await stateIs(pool, 2, 'other branch')
  expect((await pool.native.wallet.getBlock({}))?.block_header.raw_data.number).toBe(30)
  // What it has does not count in figures and errors either.
  expect(pool.pool.status().map(({ lag }) => lag)).toEqual([0, 0, null])
  expect([pool.state(0), pool.state(1)]).toEqual(['healthy', 'healthy'])
  await until(() =>
    expect(pool.log).toContainEqual(expect.stringMatching(/^upstream c is on another branch: /)),
  )
  pool.pool.setFloor({ head: 40, solid: 29 })
  await expect(readState(pool)).rejects.toThrow(
    'no upstream node has reached block 40 yet: the highest is at 30',
  )
})

test('behavior: a node that stopped on another branch below the solidified block gets no calls', async () => {
  const fork = createForkedChain({ from: 20, to: 24, solid: 24 })
  const pool = await startTestPool({ count: 3 })
  await pool.nodes[2]?.fail({ kind: 'target', target: targetOf(fork) })
  await stateIs(pool, 2, 'other branch')
  pool.nodes[2]?.taken()
  const right = pool.chain
    .canonical()
    .find(({ number }) => number === 22)
    ?.hash.slice(2)
  for (let call = 0; call < 30; call++)
    expect((await pool.native.wallet.getBlockByNum({ num: 22 }))?.blockID).toBe(right)
  expect(pool.nodes[2]?.taken()).not.toContain('/wallet/getblockbynum')
  await pool.nodes[2]?.heal()
  // The branches are compared when a block is solidified.
  pool.chain.solidify(29)
  await stateIs(pool, 2, 'healthy')
})

test('behavior: most nodes decide the branch, not the block that clients were shown', async () => {
  const fork = createForkedChain({ from: 20, to: 30, solid: 28 })
  const pool = await startTestPool({ count: 3 })
  const hashes = new Map(fork.canonical().map(({ hash, number }) => [number, hash.slice(2)]))
  pool.pool.setFloor({ hashAt: (number) => hashes.get(number), head: 30, solid: 28 })
  await pool.nodes[2]?.fail({ kind: 'target', target: targetOf(fork) })
  pool.chain.solidify(29)
  await stateIs(pool, 2, 'other branch')
  expect([pool.state(0), pool.state(1)]).toEqual(['healthy', 'healthy'])
})

test('behavior: of two nodes on two branches, both ahead of the head, that of the head stays', async () => {
  const fork = createForkedChain({ from: 20, to: 79, solid: 75 })
  const pool = await startTestPool({ count: 2 })
  know(pool)
  for (let block = 0; block < 10; block++) pool.chain.mine()
  pool.chain.solidify(38)
  // The first in the list, which would decide a tie.
  await pool.nodes[0]?.fail({ kind: 'target', target: targetOf(fork) })
  await stateIs(pool, 0, 'other branch')
  expect(pool.state(1)).toBe('healthy')
})

test('behavior: a chain that was reset on all nodes is followed', async () => {
  const short = createForkedChain({ from: 4, to: 6, solid: 5 })
  const pool = await startTestPool({ count: 2 })
  // Not the first in the list, which decides if the nodes have not been compared yet.
  await pool.nodes[1]?.fail({ kind: 'target', target: targetOf(short) })
  await stateIs(pool, 1, 'other branch')
  await pool.nodes[0]?.fail({ kind: 'target', target: targetOf(short) })
  await stateIs(pool, 0, 'healthy')
  await stateIs(pool, 1, 'healthy')
  expect((await pool.native.wallet.getBlock({}))?.blockID).toBe(short.head().hash.slice(2))
})

test('behavior: contract calls that refer to a block that is not known share one check', async () => {
  const rarely = { probe: 60_000, probeTimeout: 5_000, ramp: 100, rest: 20, troubledProbe: 20 }
  const pool = await startTestPool({ timing: rarely })
  pool.pool.setFloor({ head: 30, solid: 28 })
  const answering = (chain: typeof pool.chain, note: () => void): ProxyTarget => {
    return async ({ body, path }) => {
      if (body === '{"id_or_num":"0"}') note()
      return chain.transport.send(path as '/wallet/x', body, { idempotent: true })
    }
  }
  let checks = 0
  const ours = answering(pool.chain, () => checks++)
  for (const node of pool.nodes) await node.fail({ kind: 'target', target: ours })
  for (let call = 0; call < 30; call++) await readState(pool)
  expect(checks).toBeLessThan(5)
  // The calls of another chain refer to its blocks, so the first one finds it out.
  const other = createScriptedChain({ seed: 'other' })
  for (let block = 0; block < 30; block++) other.mine()
  let found = 0
  const theirs = answering(other, () => found++)
  await pool.nodes[0]?.fail({ kind: 'target', target: theirs })
  await until(async () => {
    await readState(pool)
    expect(found).toBeGreaterThan(0)
  })
  await stateIs(pool, 0, 'wrong chain')
})
