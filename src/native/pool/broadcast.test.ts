import { expect, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import type { ProxyReply, ProxyRequest } from '../../../test/support/faultProxy/exchange.ts'
import {
  readState,
  startTestPool,
  stateIs,
  targetOf,
  type TestPool,
} from '../../../test/support/upstreams.ts'

test.concurrent('behavior: broadcasts go to one node after the other until one accepts', async () => {
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
  // One of them may have it.
  await expect(pool.native.wallet.broadcastHex({ transaction: '00' })).rejects.toThrow(
    /^unconfirmed: /,
  )
  const duplicate = '{"code":"DUP_TRANSACTION_ERROR","message":"647570"}'
  await pool.nodes[0]?.fail({ kind: 'status', status: 200, text: duplicate }, sends)
  expect(await pool.native.wallet.broadcastHex({ transaction: '00' })).toMatchObject({
    code: 'DUP_TRANSACTION_ERROR',
  })
})

const REFUSING = '{"code":"SERVER_BUSY","message":"62757379"}'
const ACCEPTING = '{"result":true,"txid":"00"}'
const sends = { only: ({ path }: { path: string }) => path.endsWith('broadcasthex') }
const broadcast = ({ native }: TestPool) => native.wallet.broadcastHex({ transaction: '00' })

test.concurrent('behavior: while one node hangs, the other one accepts within the time of the call', async () => {
  const pool = await startTestPool({ timeout: 10_000, upstreams: { timeout: 10_000 } })
  await pool.nodes[0]?.fail({ kind: 'hang' }, sends)
  await pool.nodes[1]?.fail({ kind: 'status', status: 200, text: ACCEPTING }, sends)
  for (let round = 0; round < 3; round++)
    expect(await broadcast(pool)).toMatchObject({ result: true })
})

test.concurrent('error: all nodes hang: the time of one call is enough, and the outcome is not known', async () => {
  const pool = await startTestPool({ count: 3, timeout: 6_000 })
  for (const node of pool.nodes) await node.fail({ kind: 'hang' }, sends)
  await expect(broadcast(pool)).rejects.toMatchObject({
    code: -32603,
    message: expect.stringMatching(/^unconfirmed: .* only the same bytes/) as string,
  })
  // Each of them got its part of the time.
  const asked = pool.nodes.map((node) => node.taken().filter((path) => path.endsWith('hex')).length)
  expect(asked).toEqual([1, 1, 1])
})

test('error: what no node can have got has not been sent', async () => {
  const pool = await startTestPool()
  for (const node of pool.nodes) await node.fail({ kind: 'refused' }, sends)
  await expect(broadcast(pool)).rejects.toThrow('the upstream node is unreachable')
})

const EXCEPTION = '{"Error":"class java.lang.NullPointerException : null"}'
const FINAL = '{"code":"CONTRACT_VALIDATE_ERROR","message":"6e6f"}'
const DUPLICATE = '{"code":"DUP_TRANSACTION_ERROR","message":"647570"}'

/** What the pool shows when its nodes answer a broadcast with these texts, or reset the connection. */
async function shown(first: string, second: string) {
  const pool = await startTestPool({ timeout: 10_000 })
  for (const [index, text] of [first, second].entries())
    await pool.nodes[index]?.fail(
      text === 'reset' ? { kind: 'reset' } : { kind: 'status', status: 200, text },
      sends,
    )
  return broadcast(pool).then(
    ({ code }) => code,
    (error: Error) => error.message,
  )
}

test.each([
  [FINAL, FINAL, /^CONTRACT_VALIDATE_ERROR$/],
  [FINAL, REFUSING, /^SERVER_BUSY$/],
  [FINAL, EXCEPTION, /^unconfirmed/],
  [FINAL, 'reset', /^unconfirmed/],
  [FINAL, '{}', /^unconfirmed|^undefined$/],
  [REFUSING, 'reset', /^unconfirmed/],
  [DUPLICATE, 'reset', /^DUP_TRANSACTION_ERROR$/],
  [DUPLICATE, FINAL, /^DUP_TRANSACTION_ERROR$/],
  [EXCEPTION, EXCEPTION, /^unconfirmed/],
])('error: of %s and %s counts what proves least', async (first, second, expected) => {
  expect(String(await shown(first, second))).toMatch(expected)
  expect(String(await shown(second, first))).toMatch(expected)
})

test('behavior: a node whose probes fail is asked before the transaction fails', async () => {
  const pool = await startTestPool()
  const chain = targetOf(pool.chain) as (request: ProxyRequest) => Promise<ProxyReply>
  // It answers broadcasts and reads of block 0, which shows its chain. Its probes read the newest block too.
  const failing = async (request: ProxyRequest): Promise<ProxyReply> => {
    if (request.path.endsWith('broadcasthex')) return { status: 200, text: ACCEPTING }
    return request.body.includes('"id_or_num":"0"') ? chain(request) : { status: 500, text: '' }
  }
  await pool.nodes[0]?.fail({ kind: 'reset' }, sends)
  await pool.nodes[1]?.fail({ kind: 'target', target: failing })
  await stateIs(pool, 1, 'failing')
  expect(await broadcast(pool)).toMatchObject({ result: true })
})

test('behavior: nothing is sent to a node that has turned to another chain', async () => {
  const pool = await startTestPool()
  const other = targetOf(createScriptedChain({ seed: 'other' }))
  await pool.nodes[1]?.fail({ kind: 'status', status: 200, text: ACCEPTING }, sends)
  await pool.nodes[0]?.fail({ kind: 'target', target: other })
  for (let round = 0; round < 4; round++)
    expect(await broadcast(pool)).toMatchObject({ result: true })
  expect(pool.nodes[0]?.taken()).not.toContain('/wallet/broadcasthex')
})
