import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { debug_traceBlockByHash } from './debug_traceBlockByHash.ts'
import { debug_traceBlockByNumber } from './debug_traceBlockByNumber.ts'
import { eth_getBlockByNumber } from './eth_getBlockByNumber.ts'

const CALLS = { tracer: 'callTracer' }

const NUMBER = '0x85'

test('default: the same as by number, with the options that Subsquid sends', async () => {
  const context = await createReplayContext()
  const prepared = await callMethod(eth_getBlockByNumber, context, [NUMBER, false])
  if (!prepared) throw new Error('the recorded chain has this block')
  const { hash } = fromPrepared(prepared)
  const traced = await callMethod(debug_traceBlockByNumber, context, [NUMBER, CALLS])
  const options = { ...CALLS, tracerConfig: { onlyTopCall: false, withLog: false } }
  expect(await callMethod(debug_traceBlockByHash, context, [hash, options])).toEqual(traced)
})

test('error: an unknown block', async () => {
  const context = await createReplayContext()
  const unknown = `0x${'ab'.repeat(32)}`
  await expect(callMethod(debug_traceBlockByHash, context, [unknown, CALLS])).rejects.toMatchObject(
    { code: -32000, message: `block ${unknown} not found` },
  )
})
