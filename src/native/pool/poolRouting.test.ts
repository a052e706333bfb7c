import { expect, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { until } from '../../../test/support/until.ts'
import {
  ACCOUNT,
  createForkedChain,
  readState,
  startTestPool,
  stateIs,
  targetOf,
  upstreamAt,
} from '../../../test/support/upstreams.ts'

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

test('behavior: an operation that every node seems to lack is asked all the same', async () => {
  const pool = await startTestPool()
  // As from a front end that is being replaced.
  for (const node of pool.nodes)
    await node.fail(
      { kind: 'status', status: 404, text: '' },
      { only: ({ path }) => path.endsWith('triggerconstantcontract') },
    )
  await expect(readState(pool)).rejects.toThrow('the upstream node does not serve')
  expect(pool.pool.status().map(({ lacks }) => lacks)).toEqual([
    ['triggerconstantcontract'],
    ['triggerconstantcontract'],
  ])
  for (const node of pool.nodes) await node.heal()
  await readState(pool)
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

test('behavior: a node on a fork that is not solidified answers only when no other node can', async () => {
  const fork = createForkedChain({ from: 30, to: 30, solid: 28 })
  const pool = await startTestPool()
  const [own, hosted] = pool.nodes
  await own?.fail({ kind: 'target', target: targetOf(fork) })
  const tiers = [
    upstreamAt(own?.url ?? '', 'own'),
    upstreamAt(hosted?.url ?? '', 'hosted', { tier: 1 }),
  ]
  await pool.pool.update(tiers)
  await until(() => expect(pool.pool.order()).toEqual(['own', 'hosted']))
  const { hash, number } = pool.chain.head()
  const hashAt = (height: number) => (height === number ? hash.slice(2) : undefined)
  pool.pool.setFloor({ hashAt, head: number, solid: 28 })
  expect(pool.pool.order()).toEqual(['hosted', 'own'])
  for (let call = 0; call < 20; call++) await readState(pool)
  expect(own?.taken()).not.toContain('/wallet/triggerconstantcontract')
  await hosted?.fail({ kind: 'refused' })
  await until(async () => {
    await readState(pool)
    expect(own?.taken()).toContain('/wallet/triggerconstantcontract')
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

test('behavior: a transaction of an old block is found at a node below the floor', async () => {
  const pool = await startTestPool()
  const idOf = async (num: number) =>
    (await pool.native.wallet.getBlockByNum({ num }))?.transactions?.[0]?.txID ?? ''
  const [old, recent] = [await idOf(5), await idOf(29)]
  await pool.nodes[0]?.fail({ kind: 'behind', blocks: 20 })
  await stateIs(pool, 0, 'lagging')
  await pool.nodes[1]?.fail({ kind: 'refused' })
  await stateIs(pool, 1, 'failing')
  pool.pool.setFloor({ head: 30, solid: 28 })
  const heightOf = (value: string) => pool.native.wallet.getTransactionHeight({ value })
  expect(await heightOf(old)).toBe(5)
  await expect(heightOf(recent)).rejects.toThrow('no upstream node has reached block 30 yet')
})

test('args: belowFloor, the highest node answers when no node is at the floor', async () => {
  const pool = await startTestPool()
  await pool.nodes[0]?.fail({ kind: 'behind', blocks: 20 })
  await stateIs(pool, 0, 'lagging')
  for (const node of pool.nodes) node.taken()
  pool.pool.setFloor({ head: 40, solid: 28 })
  const options = { belowFloor: true, idempotent: true }
  await expect(
    pool.pool.send('/wallet/getenergyprices', undefined, options),
  ).resolves.toMatchObject({ status: 200 })
  const asked = pool.nodes.map((node) => node.taken().includes('/wallet/getenergyprices'))
  expect(asked).toEqual([false, true])
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
  let extras = 0
  const pool = await startTestPool({ on: { extra: () => void extras++ } })
  const read = async () => {
    for (const node of pool.nodes) node.taken()
    const call = { group: {} }
    await Promise.all(Array.from({ length: 10 }, () => readState(pool, call)))
    return pool.nodes.map(
      (node) => node.taken().filter((path) => path.endsWith('triggerconstantcontract')).length,
    )
  }
  for (let batch = 0; batch < 5; batch++) {
    // On a busy machine an answer may be late, so the other node is asked beside the first one.
    const asked = await until(async () => {
      extras = 0
      const counts = await read()
      expect(extras).toBe(0)
      return counts
    })
    expect(asked.toSorted((x, y) => x - y)).toEqual([0, 10])
  }
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
  await expect(number()).rejects.toThrow(
    /^2 upstream nodes must agree on the newest block: 1 reported one/,
  )
})
