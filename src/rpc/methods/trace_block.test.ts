import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import type { FlatTrace } from '../../codec/flatTrace.ts'
import { trace_block } from './trace_block.ts'
import { trace_transaction } from './trace_transaction.ts'

const KITCHEN = '0x8233a7f16c9f522f26006ab000e1df7a6ae68662'
const HEIR = '0x44257cd2acc97cf143c167dcadd5e5e2e1396c5e'

test('default: every frame of a block, known or inferred', async () => {
  const context = await createReplayContext()
  const traces = (await callMethod(trace_block, context, ['0x85'])) as FlatTrace[]
  const inner = traces.filter(({ traceAddress }) => traceAddress.length === 1)
  expect(inner.map(({ type }) => type)).toEqual([
    'call',
    'call',
    'create',
    'create',
    'call',
    'call',
  ])
  expect(inner[0]).toEqual({
    action: { callType: 'call', from: KITCHEN, to: HEIR, value: '0x2d' },
    result: {},
    blockHash: expect.stringMatching(/^0x0000000000000085/),
    blockNumber: 0x85,
    subtraces: 0,
    traceAddress: [0],
    transactionHash: expect.stringMatching(/^0xa7d40dde/),
    transactionPosition: expect.any(Number),
    type: 'call',
  })
  const hash = inner[0]?.transactionHash
  expect(await callMethod(trace_transaction, context, [hash])).toEqual(
    traces.filter(({ transactionHash }) => transactionHash === hash),
  )
})

test('behavior: null for an unknown block, an empty list for genesis and empty blocks', async () => {
  const context = await createReplayContext()
  expect(await callMethod(trace_block, context, ['0xffff'])).toBeNull()
  expect(await callMethod(trace_block, context, ['0x0'])).toEqual([])
  expect(await callMethod(trace_block, context, ['latest'])).toEqual([])
})
