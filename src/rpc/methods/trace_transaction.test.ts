import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { recordedNative } from '../../../test/support/node.ts'
import type { FlatTrace } from '../../codec/flatTrace.ts'
import type { TransactionInfo } from '../../native/wire/types.ts'
import { trace_transaction } from './trace_transaction.ts'

const BLOCK = 0x85
const infos = JSON.parse(
  recordedNative('/wallet/gettransactioninfobyblocknum', { num: BLOCK }),
) as TransactionInfo[]

test('default: the transaction, then its internal transactions in their order', async () => {
  const context = await createReplayContext()
  const withInternal = infos.filter(
    ({ internal_transactions = [] }) => internal_transactions.length > 0,
  )
  expect(withInternal.length).toBeGreaterThan(0)
  for (const { id, internal_transactions = [] } of withInternal) {
    const traces = (await callMethod(trace_transaction, context, [`0x${id}`])) as FlatTrace[]
    expect(traces.map(({ traceAddress }) => traceAddress.length)[0]).toBe(0)
    const inner = traces.slice(1).map(({ action }) => (action as { from: string }).from)
    expect(inner).toEqual(
      internal_transactions.map(({ caller_address }) => `0x${caller_address?.slice(2)}`),
    )
    for (const trace of traces)
      expect(trace).toMatchObject({ blockNumber: BLOCK, transactionHash: `0x${id}` })
  }
})

test('behavior: null for a transaction in no block', async () => {
  const context = await createReplayContext()
  expect(await callMethod(trace_transaction, context, [`0x${'12'.repeat(32)}`])).toBeNull()
})

test('error: not a hash', async () => {
  const context = await createReplayContext()
  await expect(async () => callMethod(trace_transaction, context, ['0x12'])).rejects.toMatchObject({
    code: -32602,
  })
})
