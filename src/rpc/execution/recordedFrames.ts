import type { Hash } from 'viem'

import type { Chain } from '../../chain/blocks/chainTypes.ts'
import type { InternalTransactions } from '../../chain/blocks/internalTransactions.ts'
import type { BlockRef } from '../../codec/blockRef.ts'
import { frameOfRecord } from '../../codec/internalFrames.ts'
import type { RpcTransaction } from '../../codec/types.ts'
import type { Unit } from '../../codec/unit.ts'
import type { Call } from '../../lib/call.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import type { TransactionInfo } from '../../native/wire/types.ts'
import { transactionByHash } from '../../sending/alias.ts'
import type { Sending } from '../../sending/sending.ts'
import { replacedError, type TracedTransaction } from './execution.ts'

/** What reads frames. */
export type FrameParts = { chain: Chain; internal: InternalTransactions; sending: Sending }

/** How frames are read: for whom, and with amounts in which unit. */
type Asked = { call: Call; unit: Unit }

/** The frames that the node recorded of a transaction; undefined when it is in no block of the view. @throws RpcError, UpstreamError */
export async function recordedFrame(
  hash: Hash,
  { call, unit }: Asked,
  { chain, internal, sending }: FrameParts,
): Promise<TracedTransaction | undefined> {
  const transaction = await transactionByHash(hash, { call, chain, sending })
  if (!transaction?.blockHash) return undefined
  const own = await chain.transaction(hash, call)
  const id = own ? hash : (await sending.find(hash))?.id
  const info = id && (await internal.ofTransaction(id, call))
  if (!info || info.blockNumber !== Number(transaction.blockNumber)) throw replacedError()
  return traced(transaction, info, unit)
}

/** Those of all transactions of a block; undefined when there is no such block. @throws RpcError, UpstreamError */
export async function recordedFrames(
  ref: BlockRef,
  { call, unit }: Asked,
  { chain, internal }: FrameParts,
): Promise<TracedTransaction[] | undefined> {
  const prepared = await chain.block(ref, true, call)
  if (!prepared) return undefined
  const { number, transactions } = fromPrepared(prepared)
  // The node has no records of the genesis block.
  if (transactions.length === 0 || number === '0x0') return []
  // By height, so a reorg may have replaced the block.
  const infos = await internal.ofBlock(Number(number), call)
  return (transactions as RpcTransaction[]).map((transaction, index) => {
    const info = infos[index]
    if (`0x${info?.id}` !== transaction.hash || !info) throw replacedError()
    return traced(transaction, info, unit)
  })
}

const traced = (
  transaction: RpcTransaction,
  info: TransactionInfo,
  unit: Unit,
): TracedTransaction => ({
  frame: frameOfRecord(transaction, info, unit),
  place: {
    blockHash: transaction.blockHash as Hash,
    blockNumber: Number(transaction.blockNumber),
    transactionHash: transaction.hash,
    transactionPosition: Number(transaction.transactionIndex),
  },
})
