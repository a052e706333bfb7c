import { expect, test } from 'vitest'

import type { TransactionInfo } from '../native/wire/types.ts'
import { frameOfRecord } from './internalFrames.ts'
import type { RpcTransaction } from './types.ts'
import { SUN } from './unit.ts'

const CONTRACT = `0x${'c0'.repeat(20)}` as const
const LIBRARY = `0x${'11'.repeat(20)}` as const
const native = (address: string) => `41${address.slice(2)}`

const transaction = {
  from: `0x${'ee'.repeat(20)}`,
  to: CONTRACT,
  gas: '0x5208',
  input: '0x12345678',
  value: '0x0',
} as Partial<RpcTransaction> as RpcTransaction

const call = (to: string, fields: { rejected?: boolean; value?: bigint } = {}) => ({
  hash: '',
  caller_address: native(CONTRACT),
  transferTo_address: native(to),
  note: Buffer.from('call').toString('hex'),
  callValueInfo: [fields.value === undefined ? {} : { callValue: fields.value }],
  ...(fields.rejected && { rejected: true }),
})

const frameOf = (info: object) =>
  frameOfRecord(
    transaction,
    { contract_address: native(CONTRACT), ...info } as TransactionInfo,
    SUN,
  )

test('behavior: a call that succeeded is not inside a failed call', () => {
  // A delegate call is recorded as a call from the contract to itself.
  const { calls } = frameOf({
    receipt: { result: 'SUCCESS' },
    internal_transactions: [call(CONTRACT, { rejected: true }), call(LIBRARY, { value: 7n })],
  })
  expect(calls).toMatchObject([
    { to: CONTRACT, error: 'execution failed' },
    { to: LIBRARY, value: '0x7' },
  ])
  expect(calls?.[0]).not.toHaveProperty('calls')
  expect(calls?.[1]).not.toHaveProperty('error')
})

test('behavior: calls inside a failed call are rejected too and have no error of their own', () => {
  const { calls } = frameOf({
    receipt: { result: 'SUCCESS' },
    internal_transactions: [
      call(CONTRACT, { rejected: true }),
      call(LIBRARY, { rejected: true, value: 7n }),
    ],
  })
  expect(calls).toEqual([
    {
      type: 'CALL',
      from: CONTRACT,
      to: CONTRACT,
      value: '0x0',
      error: 'execution failed',
      calls: [{ type: 'CALL', from: CONTRACT, to: LIBRARY, value: '0x7' }],
    },
  ])
})

test('error: a result that gives no reason', () => {
  const { error } = frameOf({ result: 'FAILED', receipt: { result: 'UNKNOWN' } })
  expect(error).toBe('execution failed')
})
