import type { Hash } from 'viem'

import type { BlockRef } from '../../codec/blockRef.ts'
import { callFrame, type CallFrame } from '../../codec/callFrame.ts'
import { type FlatTrace, flatTraces } from '../../codec/flatTrace.ts'
import { frameOfRecord } from '../../codec/internalFrames.ts'
import * as schemas from '../../codec/schemas.ts'
import type { RpcTransaction } from '../../codec/types.ts'
import type { Unit } from '../../codec/unit.ts'
import type { Call } from '../../lib/call.ts'
import { RpcError } from '../../lib/errors.ts'
import { fromWire } from '../../lib/wire.ts'
import { transactionByHash } from '../../sending/alias.ts'
import type { Context } from '../context.ts'
import type { CallTracerRequest } from '../params/callTracerParam.ts'

/** A transaction in a block, with its frames. */
export type RecordedTrace = { transaction: RpcTransaction; frame: CallFrame }

/** The frames of a transaction; undefined when it is in no block of the view. @throws RpcError, UpstreamError */
export async function traceOfTransaction(
  hash: Hash,
  unit: Unit,
  { chain, internal, sending }: Context,
  call: Call,
): Promise<RecordedTrace | undefined> {
  const transaction = await transactionByHash(hash, { call, chain, sending })
  if (!transaction?.blockHash) return undefined
  const own = await chain.transaction(hash, call)
  const id = own ? hash : (await sending.find(hash))?.id
  const info = id && (await internal.ofTransaction(id, call))
  if (!info || info.blockNumber !== Number(transaction.blockNumber)) throw replaced()
  return { transaction, frame: frameOfRecord(transaction, info, unit) }
}

/** Reads the frames of a transaction. @throws RpcError when it is in no block of the view */
export type FrameOf = (hash: Hash, unit: Unit, context: Context, call: Call) => Promise<CallFrame>

/** The frames that the node recorded. @throws RpcError when the transaction is in no block of the view */
export const recordedFrame: FrameOf = async (hash, unit, context, call) => {
  const traced = await traceOfTransaction(hash, unit, context, call)
  if (!traced) throw new RpcError(-32000, 'transaction not found')
  return traced.frame
}

/** The frames of all transactions of a block; undefined when there is no such block. @throws RpcError, UpstreamError */
export async function tracesOfBlock(
  ref: BlockRef,
  unit: Unit,
  { chain, internal }: Context,
  call: Call,
): Promise<RecordedTrace[] | undefined> {
  const wire = await chain.block(ref, true, call)
  if (!wire) return undefined
  const { number, transactions } = fromWire(wire)
  // The node has no records of the genesis block.
  if (transactions.length === 0 || number === '0x0') return []
  const infos = await internal.ofBlock(Number(number), call)
  return (transactions as RpcTransaction[]).map((transaction, index) => {
    const info = infos[index]
    if (`0x${info?.id}` !== transaction.hash || !info) throw replaced()
    return { transaction, frame: frameOfRecord(transaction, info, unit) }
  })
}

/** The trace of a transaction in geth's answer for a block. */
export type BlockFrame = { txHash: Hash; result: CallFrame }

/** Schema of geth's answer for a block. */
export const blockFrames = schemas.listOf(
  schemas.object({ txHash: schemas.hash, result: callFrame }),
)

/** The frames of all transactions of a block, as geth answers. @throws RpcError, UpstreamError */
export async function framesOfBlock(
  ref: BlockRef,
  options: CallTracerRequest,
  context: Context,
  call: Call,
): Promise<BlockFrame[]> {
  const block = await context.chain.resolve(ref, call)
  if (block?.number === 0) throw new RpcError(-32000, 'genesis is not traceable')
  const ofHash = block && { blockHash: block.hash }
  const traced = ofHash && (await tracesOfBlock(ofHash, options.unit, context, call))
  if (!traced) throw new RpcError(-32000, `block ${nameOf(ref)} not found`)
  return traced.map(({ frame, transaction }) => ({
    txHash: transaction.hash,
    result: requestedFrame(frame, options),
  }))
}

const nameOf = (ref: BlockRef) => {
  if (typeof ref === 'object') return ref.blockHash
  return typeof ref === 'number' ? `#${ref}` : ref
}

/** The part of a frame that the options ask for. */
export function requestedFrame(
  { calls, ...top }: CallFrame,
  { onlyTopCall }: CallTracerRequest,
): CallFrame {
  return onlyTopCall || !calls ? top : { ...top, calls }
}

/** The frames as Parity lists them. */
export function flatTracesOf({ frame, transaction }: RecordedTrace): FlatTrace[] {
  return flatTraces(frame, {
    blockHash: transaction.blockHash as Hash,
    blockNumber: Number(transaction.blockNumber),
    transactionHash: transaction.hash,
    transactionPosition: Number(transaction.transactionIndex),
  })
}

/** A reorg may replace the block between the read of the block and the read of its records, which goes by height. */
const replaced = () =>
  new RpcError(-32000, 'a reorg replaced the block while it was read; try again')
