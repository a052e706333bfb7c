import { expect, test } from 'vitest'

import { until } from '../../../test/support/until.ts'
import { ACCOUNT, readState, startTestPool, upstreamAt } from '../../../test/support/upstreams.ts'
import { sleep } from '../../lib/sleep.ts'

test('default', async () => {
  const pool = await startTestPool()
  await Promise.all(Array.from({ length: 40 }, () => readState(pool)))
  const [a, b] = pool.pool.status()
  expect([a?.state, b?.state]).toEqual(['healthy', 'healthy'])
  expect(a).toMatchObject({ head: 30, lag: 0, name: 'a', reason: undefined, solid: 28 })
  // Both share the work.
  expect(Math.min(a?.calls ?? 0, b?.calls ?? 0)).toBeGreaterThan(5)
})

test('behavior: a client that disconnects has no call in flight at a node', async () => {
  const pool = await startTestPool()
  await readState(pool)
  const only = ({ path }: { path: string }) => path.endsWith('getaccount')
  for (const node of pool.nodes) await node.fail({ kind: 'hang' }, { only })
  const controller = new AbortController()
  const { signal } = controller
  const answer = pool.native.wallet.getAccount({ address: ACCOUNT }, { signal })
  await until(() => expect(pool.pool.status().some(({ inFlight }) => inFlight > 0)).toBe(true))
  controller.abort(new Error('gone'))
  await expect(answer).rejects.toThrow('gone')
  await until(() => expect(pool.pool.status().every(({ inFlight }) => inFlight === 0)).toBe(true))
})

test('behavior: calls in flight finish when a node is removed', async () => {
  const pool = await startTestPool()
  await readState(pool)
  const calls = Array.from({ length: 50 }, () => readState(pool))
  await pool.pool.update([upstreamAt(pool.nodes[1]?.url ?? '', 'b')])
  calls.push(...Array.from({ length: 50 }, () => readState(pool)))
  await Promise.all(calls)
  expect(pool.pool.status().map(({ name }) => name)).toEqual(['b'])
})

test('behavior: nodes that are added while the pool closes get no probes', async () => {
  const { nodes, pool } = await startTestPool()
  const updated = pool.update([upstreamAt(nodes[0]?.url ?? '', 'c')])
  await pool.close()
  await updated
  nodes[0]?.taken()
  // Three times the interval of probes.
  await sleep(300)
  expect(nodes[0]?.taken()).toEqual([])
})
