import { expect, test } from 'vitest'

import { CLIENT_CALL } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { recordedNative } from '../../../test/support/node.ts'
import { flatTraces } from '../../codec/flatTrace.ts'
import { SUN } from '../../codec/unit.ts'
import { recordedFrame, recordedFrames } from './recordedFrames.ts'

/** Calls, creations and a self-destruct inside transactions. */
const BLOCK = 0x85
const UNKNOWN = `0x${'00'.repeat(32)}` as const
const REPLACED = {
  code: -32000,
  message: expect.stringContaining('a reorg replaced the block') as string,
}

type Info = { id: string; blockNumber: number }
const infosOf = (num: number) =>
  JSON.parse(recordedNative('/wallet/gettransactioninfobyblocknum', { num })) as Info[]

test('default: a block and each of its transactions have the same frames', async () => {
  const context = await createReplayContext()
  const traces = (await recordedFrames(BLOCK, { call: CLIENT_CALL, unit: SUN }, context)) ?? []
  expect(traces.map(({ place }) => place.transactionHash)).toEqual(
    infosOf(BLOCK).map(({ id }) => `0x${id}`),
  )
  expect(traces.some(({ frame }) => (frame.calls ?? []).length > 0)).toBe(true)
  for (const trace of traces)
    expect(
      await recordedFrame(trace.place.transactionHash, { call: CLIENT_CALL, unit: SUN }, context),
    ).toEqual(trace)
})

test('default: flat traces name their transaction, block and place', async () => {
  const context = await createReplayContext()
  const traces = (await recordedFrames(BLOCK, { call: CLIENT_CALL, unit: SUN }, context)) ?? []
  for (const [index, trace] of traces.entries()) {
    const [outer, ...inner] = flatTraces(trace.frame, trace.place)
    expect(outer).toMatchObject({ subtraces: (trace.frame.calls ?? []).length, traceAddress: [] })
    for (const flat of [outer, ...inner])
      expect(flat).toMatchObject({
        blockHash: trace.place.blockHash,
        blockNumber: BLOCK,
        transactionHash: trace.place.transactionHash,
        transactionPosition: index,
      })
  }
})

test('behavior: undefined for a transaction that is in no block', async () => {
  const context = await createReplayContext()
  expect(await recordedFrame(UNKNOWN, { call: CLIENT_CALL, unit: SUN }, context)).toBeUndefined()
  expect(await recordedFrames(0xffff, { call: CLIENT_CALL, unit: SUN }, context)).toBeUndefined()
})

test('behavior: genesis needs no call', async () => {
  const context = await createReplayContext()
  expect(await recordedFrames(0, { call: CLIENT_CALL, unit: SUN }, context)).toEqual([])
  expect(context.node.requests.paths()).not.toContain('/wallet/gettransactioninfobyblocknum')
})

/** A context that knows the block, on a node that from now on answers `text` to calls of a path. */
async function afterwards(path: string, text: string) {
  let isRead = false
  const context = await createReplayContext({
    intercept: (request) => (isRead && request.path === path ? { text } : undefined),
  })
  await context.chain.block(BLOCK, true)
  isRead = true
  return context
}

test('error: the records are of other transactions than the block', async () => {
  const others = infosOf(BLOCK).map((info) => ({ ...info, id: 'ff'.repeat(32) }))
  const path = '/wallet/gettransactioninfobyblocknum'
  const context = await afterwards(path, JSON.stringify(others))
  await expect(
    recordedFrames(BLOCK, { call: CLIENT_CALL, unit: SUN }, context),
  ).rejects.toMatchObject(REPLACED)
})

test.each([
  ['of another block', (info: Info) => ({ ...info, blockNumber: info.blockNumber + 1 })],
  ['gone', () => ({})],
])('error: the record of a transaction is %s', async (_, change) => {
  const [info] = infosOf(BLOCK) as [Info]
  const text = JSON.stringify(change(info))
  const context = await afterwards('/wallet/gettransactioninfobyid', text)
  await expect(
    recordedFrame(`0x${info.id}`, { call: CLIENT_CALL, unit: SUN }, context),
  ).rejects.toMatchObject(REPLACED)
})
