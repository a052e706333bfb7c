import type { Hash } from 'viem'

import { amountsIn, inUnit } from '../../codec/amounts.ts'
import type { BlockRef } from '../../codec/blockRef.ts'
import type { CallFrame } from '../../codec/callFrame.ts'
import { toQuantity } from '../../codec/quantity.ts'
import * as schemas from '../../codec/schemas.ts'
import type { RpcBlock, RpcReceipt, RpcTransaction } from '../../codec/types.ts'
import type { Unit } from '../../codec/unit.ts'
import type { Call } from '../../lib/call.ts'
import { RpcError } from '../../lib/errors.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import type { Context } from '../context.ts'
import { replacedError } from '../execution/execution.ts'

/** A block with its transactions and receipts. Amounts are in the client's unit. */
export type WholeBlock = {
  block: RpcBlock
  transactions: RpcTransaction[]
  receipts: RpcReceipt[]
}

const BLOCK = amountsIn(schemas.block) ?? {}
const RECEIPTS = amountsIn(schemas.listOf(schemas.receipt)) ?? {}

/** Reads a block with its transactions and receipts; undefined when there is no such block. @throws RpcError, UpstreamError */
export async function wholeBlock(
  ref: BlockRef,
  unit: Unit,
  { chain }: Pick<Context, 'chain'>,
  call: Call,
): Promise<WholeBlock | undefined> {
  const prepared = await chain.block(ref, true, call)
  if (!prepared) return undefined
  const block = inUnit(BLOCK, fromPrepared(prepared), unit) as RpcBlock
  // By hash, because another block may have taken its place since it was read.
  const receipts = await chain.receipts({ blockHash: block.hash }, call)
  if (!receipts) throw replacedError()
  return {
    block,
    transactions: block.transactions as RpcTransaction[],
    receipts: inUnit(RECEIPTS, fromPrepared(receipts), unit) as RpcReceipt[],
  }
}

/** Otterscan's summary of a block; null when there is no such block. Fees are gas used times the price of each transaction. */
export async function blockDetails(
  ref: BlockRef,
  unit: Unit,
  context: Pick<Context, 'chain'>,
  call: Call,
) {
  const whole = await wholeBlock(ref, unit, context, call)
  if (!whole) return null
  const { transactions, ...header } = whole.block
  const fees = whole.receipts.reduce(
    (sum, { effectiveGasPrice, gasUsed }) => sum + BigInt(effectiveGasPrice) * BigInt(gasUsed),
    0n,
  )
  return {
    block: { ...header, transactionCount: transactions.length },
    // The block has no reward, because the chain pays its producers separately.
    issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
    totalFees: toQuantity(fees),
  }
}

/** The frames of a transaction. @throws RpcError when it is in no block of the view */
export async function frameOf(
  hash: Hash,
  unit: Unit,
  { execution }: Pick<Context, 'execution'>,
  call: Call,
): Promise<CallFrame> {
  const traced = await execution.frames(hash, { call, unit })
  if (!traced) throw new RpcError(-32000, 'transaction not found')
  return traced.frame
}
