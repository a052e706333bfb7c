import { describe, expect, test } from 'vitest'

import { mayHold } from '../../test/support/bloom.ts'
import { recordedRpc } from '../../test/support/node.ts'
import { heights, recordedBlock, recordedPrice } from '../../test/support/recordedBlock.ts'
import { CHAIN } from '../../test/support/recordedChain.ts'
import { rpcBlockOf } from '../../test/support/rpcBlock.ts'
import { toRpcHeader } from './block.ts'
import { toRpcLogs } from './log.ts'
import { toQuantity } from './quantity.ts'
import { toRpcReceipts } from './receipt.ts'
import type { RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from './types.ts'

/** Fields in which the mapping differs from the node’s own JSON-RPC on purpose: see docs/mapping.md. */
const differs = {
  block: [
    'baseFeePerGas',
    'gasLimit',
    'logsBloom',
    'sha3Uncles',
    'stateRoot',
    'transactions',
    'transactionsRoot',
  ],
  transaction: ['blockTimestamp', 'chainId', 'gas', 'input', 'nonce', 'r', 's', 'v', 'yParity'],
  receipt: ['logs', 'logsBloom'],
  log: ['blockTimestamp'],
}

function without(value: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)))
}

const answer = (method: string, params: unknown[]) => recordedRpc(method, params).result

describe('every block, next to the node’s own JSON-RPC', () => {
  test.each(heights)('behavior: block %i', (number) => {
    const { block, infos } = recordedBlock(number)
    const energyPrice = recordedPrice(block.block_header.raw_data.timestamp)
    const own = rpcBlockOf(block, infos, { chainId: CHAIN.chainId, energyPrice, full: true })
    const theirs = answer('eth_getBlockByNumber', [toQuantity(number), true]) as RpcBlock
    expect(without(own, differs.block)).toEqual(without(theirs, differs.block))
    expect(own.size).toBe(theirs.size)

    for (const [index, row] of (own.transactions as RpcTransaction[]).entries()) {
      const their = theirs.transactions[index] as RpcTransaction
      // The node prices genesis at the current price, gives deployments no value, and prints negative amounts as two's complement.
      const apart = number === 0 ? ['gasPrice', 'value'] : row.to === null ? ['value'] : []
      const fields = [...differs.transaction, ...apart]
      expect(without(row, fields)).toEqual(without(their, fields))
      expect([row.r, row.s, row.v].map(BigInt)).toEqual([their.r, their.s, their.v].map(BigInt))
      expect(BigInt(row.gas)).toBeGreaterThanOrEqual(BigInt(their.gas))
    }

    const receipts = toRpcReceipts(block, infos, { energyPrice })
    for (const receipt of receipts) {
      const their = answer('eth_getTransactionReceipt', [receipt.transactionHash]) as RpcReceipt
      expect(without(receipt, differs.receipt)).toEqual(without(their, differs.receipt))
    }
    const logs = receipts.flatMap(({ logs }) => logs)
    const their = answer('eth_getLogs', [
      { fromBlock: toQuantity(number), toBlock: toQuantity(number) },
    ]) as RpcLog[]
    expect(logs.map((log) => without(log, differs.log))).toEqual(
      their.map((log) => without(log, differs.log)),
    )
    expect(logs).toEqual(toRpcLogs(block, infos))
  })
})

test('behavior: the bloom of each block contains all its logs', () => {
  for (const number of heights) {
    const { block, infos } = recordedBlock(number)
    const { logsBloom } = toRpcHeader(block, infos)
    expect(logsBloom).toMatch(/^0x[0-9a-f]{512}$/)
    const items = new Set(
      toRpcLogs(block, infos).flatMap(({ address, topics }) => [address, ...topics]),
    )
    for (const item of items) expect(mayHold(logsBloom, item)).toBe(true)
    expect(BigInt(logsBloom) !== 0n).toBe(items.size > 0)
  }
})
