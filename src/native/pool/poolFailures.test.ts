import { expect, test } from 'vitest'

import type { Fault, ProxyTarget } from '../../../test/support/faultProxy.ts'
import { until } from '../../../test/support/until.ts'
import { readState, startTestPool, stateIs, upstreamAt } from '../../../test/support/upstreams.ts'
import { NodeBusyError } from '../errors.ts'
import { createUpstreamPool } from './pool.ts'

const FAULTS: Fault[] = [
  { kind: 'refused' },
  { kind: 'reset' },
  { kind: 'cut' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503, text: '<html>' },
  { kind: 'html' },
  { kind: 'empty' },
  { kind: 'status', status: 200, text: `{"result":${'['.repeat(400_000)}` },
  { kind: 'status', status: 200, text: `{"result":${'9'.repeat(100_000)}}` },
  { kind: 'status', status: 200, text: '{"result":{"result":true},"energy_used":1.5}' },
  { kind: 'truncated' },
]

const SLOW_FAULTS: Fault[] = [{ kind: 'hang' }, { kind: 'latency', ms: 8_000 }]

const byName = (fault: Fault): [string, Fault] => [JSON.stringify(fault).slice(0, 60), fault]

async function failsNoCall(_: string, fault: Fault): Promise<void> {
  const pool = await startTestPool()
  // More calls at once could use up the retries on a busy machine, where all calls are slow.
  await Promise.all(Array.from({ length: 30 }, () => readState(pool)))
  await pool.nodes[0]?.fail(fault)
  const answers = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
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
}

test.each(FAULTS.map(byName))('behavior: no call fails while one of two nodes has: %s', failsNoCall)

// These two wait for timeouts of probes.
test.concurrent.each(SLOW_FAULTS.map(byName))(
  'behavior: no call fails while one of two nodes has: %s',
  failsNoCall,
)

test.each<Fault>([{ kind: 'rateLimit' }, { kind: 'status', status: 429 }])(
  'behavior: a node over its limit gets less, the other answers: %o',
  async (fault) => {
    const pool = await startTestPool()
    // The first calls are slow, so a node that got only one of them would get no others for some seconds.
    for (let call = 0; call < 40; call++) await readState(pool)
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
  const pool = await startTestPool({ on: { extra: (why) => void extras.push(why) } })
  let asked = 0
  const counting: ProxyTarget = async ({ body, path }) => {
    if (body.includes('"20"')) asked++
    return pool.chain.transport.send(path as '/wallet/x', body, { idempotent: true })
  }
  for (const node of pool.nodes) await node.fail({ kind: 'target', target: counting })
  const block = await pool.native.wallet.getBlock({ id_or_num: '20' })
  expect(block?.block_header.raw_data.number).toBe(20)
  // On a busy machine the first answer may be late, so the second node is asked beside the first one.
  expect(extras.filter((why) => why !== 'hedge')).toEqual([])
  expect(asked).toBe(1 + extras.length)
})

test('behavior: a second node is asked beside one that is slow, and its answer is taken', async () => {
  const extras: string[] = []
  const pool = await startTestPool({ on: { extra: (why) => void extras.push(why) } })
  // One at a time, they could all go to one node on a busy machine. The usual time of the other one would stay unknown.
  while (pool.pool.status().some(({ calls }) => calls < 40))
    await Promise.all(Array.from({ length: 10 }, () => readState(pool)))
  const only = ({ path }: { path: string }) => path.endsWith('triggerconstantcontract')
  extras.length = 0
  await pool.nodes[0]?.fail({ kind: 'hang' }, { only })
  await until(async () => {
    expect((await readState(pool)).result.result).toBe(true)
    expect(extras).toContain('hedge')
  })
  // The call that lost is cancelled, so nothing stays in flight.
  await until(() => expect(pool.pool.status().every(({ inFlight }) => inFlight === 0)).toBe(true))
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

test('behavior: starts while all nodes are down', async () => {
  const pool = createUpstreamPool({ timeout: 500, upstreams: [dead('a'), dead('b')] })
  await expect(pool.send('/wallet/getblock', '{}', { idempotent: true })).rejects.toMatchObject({
    code: -32603,
  })
  await pool.close()
})

const dead = (name: string) => upstreamAt('http://127.0.0.1:1', name)

test('error: the reason of a node without /walletsolidity at its address says what to set', async () => {
  const pool = await startTestPool()
  const solidity = { only: ({ path }: { path: string }) => path.startsWith('/walletsolidity') }
  await pool.nodes[1]?.fail({ kind: 'status', status: 405 }, solidity)
  await stateIs(pool, 1, 'failing')
  expect(pool.pool.status()[1]?.reason).toContain('with --upstream-solidity')
  await readState(pool)
})

test('behavior: a node that refuses to give its newest block counts as one that gives none', async () => {
  const pool = await startTestPool()
  const refusal = { kind: 'status', status: 200, text: '{"Error":"the month is used up"}' } as const
  const only = ({ path }: { path: string }) => path.endsWith('/getnowblock')
  await pool.nodes[0]?.fail(refusal, { only })
  expect((await pool.native.wallet.getNowBlock()).block_header.raw_data.number).toBe(30)
  await pool.nodes[1]?.fail(refusal, { only })
  await expect(pool.native.wallet.getNowBlock()).rejects.toThrow(
    'no upstream node reports its newest block',
  )
})
