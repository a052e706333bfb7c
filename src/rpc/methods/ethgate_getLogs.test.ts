import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN, labels } from '../../../test/support/recordedChain.ts'
import type { RpcLog } from '../../codec/types.ts'
import { fromPrepared, type Prepared } from '../../lib/prepared.ts'
import type { Context } from '../context.ts'
import { eth_getLogs } from './eth_getLogs.ts'
import { ethgate_getLogs } from './ethgate_getLogs.ts'

const everything = { fromBlock: '0x0', toBlock: 'latest' }
const token = `0x${labels.contracts.Token.address.slice(2)}`

type Page = { logs: RpcLog[]; cursor: string | null }

const page = async (context: Context, request: object): Promise<Page> =>
  fromPrepared((await callMethod(ethgate_getLogs, context, [request])) as Prepared<Page>)

const whole = async (context: Context, filter: object): Promise<RpcLog[]> =>
  fromPrepared(await callMethod(eth_getLogs, context, [filter]))

/** Every page of a filter. */
async function pages(context: Context, filter: object, limit: number): Promise<Page[]> {
  const all = [await page(context, { filter, limit })]
  for (let cursor = all[0]?.cursor; cursor; cursor = all.at(-1)?.cursor ?? null)
    all.push(await page(context, { filter, cursor, limit }))
  return all
}

test('default: the pages together are the whole', async () => {
  const context = await createReplayContext({ config: { logsMaxResults: 20_000 } })
  const filter = { ...everything, address: token }
  const expected = await whole(context, filter)
  const found = await pages(context, filter, 7)
  expect(found.flatMap(({ logs }) => logs)).toEqual(expected)
  expect(found.every(({ logs }, index) => logs.length === 7 || index === found.length - 1)).toBe(
    true,
  )
  expect(found.length).toBe(Math.ceil(expected.length / 7))
})

test('behavior: a page is cut inside of a block', async () => {
  const context = await createReplayContext({ config: { logsMaxResults: 20_000 } })
  const expected = await whole(context, everything)
  const found = await pages(context, everything, 1_500)
  expect(found.flatMap(({ logs }) => logs)).toEqual(expected)
})

test('behavior: a page ends after as many blocks as one search may read', async () => {
  const context = await createReplayContext({ config: { logsMaxBlocks: 40 } })
  const filter = { ...everything, address: token }
  const found = await pages(context, filter, 1_000)
  expect(found.length).toBe(Math.ceil((CHAIN.head + 1) / 41))
  const all = await createReplayContext()
  expect(found.flatMap(({ logs }) => logs)).toEqual(await whole(all, filter))
})

test('behavior: a cursor is stable', async () => {
  const context = await createReplayContext()
  const filter = { ...everything, address: token }
  const { cursor } = await page(context, { filter, limit: 3 })
  const next = await page(context, { filter, cursor, limit: 3 })
  expect(await page(context, { filter, cursor, limit: 3 })).toEqual(next)
})

test('error: a bound or a cursor beyond the head', async () => {
  const context = await createReplayContext()
  const cursor = `0x${(0xffff).toString(16).padStart(16, '0')}${'ee'.repeat(24)}00000001`
  for (const request of [
    { filter: { fromBlock: '0xffff' } },
    { filter: { ...everything, toBlock: '0xffff' } },
    { filter: everything, cursor },
  ])
    await expect(page(context, request)).rejects.toMatchObject({
      code: -32602,
      message: `block range extends beyond current head block: requested 65535, head ${CHAIN.head}`,
    })
})

test('error: a reorg removed the block of the cursor', async () => {
  const context = await createReplayContext()
  const cursor = `0x${(50).toString(16).padStart(16, '0')}${'ee'.repeat(24)}00000001`
  await expect(page(context, { filter: everything, cursor })).rejects.toMatchObject({
    code: -32000,
  })
})

test('error: invalid parameters', async () => {
  const context = await createReplayContext()
  for (const request of [
    undefined,
    'x',
    { filter: { blockHash: `0x${'00'.repeat(32)}` } },
    { filter: everything, cursor: '0x1' },
    { filter: everything, limit: 0 },
    { filter: everything, limit: 1.5 },
    { fromBlock: '0x1', toBlock: '0x2' },
    { filter: { ...everything, adress: token } },
  ])
    await expect((async () => page(context, request as object))()).rejects.toMatchObject({
      code: -32602,
    })
})
