import { expect, test } from 'vitest'

import type { RpcLog } from '../../../codec/types.ts'
import { RpcError, UpstreamError } from '../../../lib/errors.ts'
import type { NativeClient } from '../../../native/client.ts'
import { readCreation, readHoldings } from './address.ts'
import { createSources, receiptsOf } from './source.ts'

const TOKEN = `0x${'12'.repeat(20)}` as const

/** A source whose methods fail. */
function failing(error: Error) {
  const native = { solidity: {}, wallet: {} } as unknown as NativeClient
  const request = async () => {
    throw error
  }
  return createSources({ decimals: 6, native, nativeAt: request, request })(undefined)
}

/** A log whose transaction a reorg moved to another block. */
const log = {
  address: TOKEN,
  blockHash: `0x${'a1'.repeat(32)}`,
  blockNumber: '0x7',
  topics: [`0x${'c1'.repeat(32)}`],
  transactionHash: `0x${'b1'.repeat(32)}`,
  transactionIndex: '0x0',
} as unknown as RpcLog

test.each([
  null,
  { blockHash: `0x${'a2'.repeat(32)}`, transactionHash: log.transactionHash, logs: [] },
])('error: rows are not made of two branches: receipt %#', async (receipt) => {
  const native = { solidity: {}, wallet: {} } as unknown as NativeClient
  const nativeAt = async () => ({ transaction: { txID: 'b2'.repeat(32) } }) as never
  const request = async ({ method }: { method: string }) => {
    if (method === 'eth_getTransactionReceipt') return receipt
    throw new Error(method)
  }
  const source = createSources({ decimals: 6, native, nativeAt, request })(undefined)
  await expect(receiptsOf(source)(log)).rejects.toThrow('a reorg moved transaction')
  await expect(source.mined(log)).rejects.toThrow('a reorg moved transaction')
})

/** The facts of an address that these reads use. */
const facts = { account: undefined, address: TOKEN, contract: undefined } as never

test('default: a contract without the functions of a token is no token', async () => {
  const source = failing(new RpcError(3, 'execution reverted'))
  expect(await source.token(TOKEN)).toBeUndefined()
  expect(await readCreation(facts, source)).toBeUndefined()
})

test('error: a node that does not answer does not make a token an ordinary contract', async () => {
  const source = failing(new UpstreamError('the node does not answer'))
  await expect(source.token(TOKEN)).rejects.toThrow('the node does not answer')
  await expect(readCreation(facts, source)).rejects.toThrow('the node does not answer')
})

test('error: the tokens of an account are not empty when its transfers cannot be read', async () => {
  const source = failing(new UpstreamError('the node does not answer'))
  expect(await readHoldings(facts, { ...source, head: async () => 7 })).toBeUndefined()
})
