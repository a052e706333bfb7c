import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import type { CallFrame } from '../../codec/callFrame.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { debug_traceBlockByNumber } from './debug_traceBlockByNumber.ts'
import { debug_traceTransaction } from './debug_traceTransaction.ts'
import { eth_getBlockByNumber } from './eth_getBlockByNumber.ts'

const CALLS = { tracer: 'callTracer' }

const NUMBER = '0x85'

test('default: the frames of each transaction', async () => {
  const context = await createReplayContext()
  const prepared = await callMethod(eth_getBlockByNumber, context, [NUMBER, false])
  if (!prepared) throw new Error('the recorded chain has this block')
  const block = fromPrepared(prepared)
  const traced = await callMethod(debug_traceBlockByNumber, context, [NUMBER, CALLS])
  expect(traced.map(({ txHash }) => txHash)).toEqual(block.transactions)
  for (const { result, txHash } of traced)
    expect(result).toEqual(await callMethod(debug_traceTransaction, context, [txHash, CALLS]))
  expect(traced.some(({ result }) => (result as CallFrame).calls?.length)).toBe(true)
})

test('args: onlyTopCall', async () => {
  const options = { ...CALLS, tracerConfig: { onlyTopCall: true } }
  const context = await createReplayContext()
  const traced = await callMethod(debug_traceBlockByNumber, context, [NUMBER, options])
  expect(traced.length).toBeGreaterThan(0)
  for (const { result } of traced) expect(result).not.toHaveProperty('calls')
})

test('behavior: an empty block has no frames', async () => {
  const context = await createReplayContext()
  expect(await callMethod(debug_traceBlockByNumber, context, ['latest', CALLS])).toEqual([])
})

test('error: an unknown block, genesis, another tracer', async () => {
  const context = await createReplayContext()
  await expect(
    callMethod(debug_traceBlockByNumber, context, ['earliest', CALLS]),
  ).rejects.toMatchObject({ code: -32000, message: 'genesis is not traceable' })
  await expect(
    callMethod(debug_traceBlockByNumber, context, ['0xffff', CALLS]),
  ).rejects.toMatchObject({ code: -32000, message: 'block #65535 not found' })
  await expect(
    (async () => callMethod(debug_traceBlockByNumber, context, ['latest', {}]))(),
  ).rejects.toMatchObject({ code: -32602 })
})
