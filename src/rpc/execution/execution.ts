import type { AccessList, Address, Hash, Hex } from 'viem'

import type { BlockRef } from '../../codec/blockRef.ts'
import type { CallFrame } from '../../codec/callFrame.ts'
import type { TracePlace } from '../../codec/flatTrace.ts'
import type { feeHistory } from '../../codec/schemas.ts'
import type { TraceRequest } from '../../codec/traceRequest.ts'
import type { Unit } from '../../codec/unit.ts'
import type { Call } from '../../lib/call.ts'
import { RpcError } from '../../lib/errors.ts'
import type { ValueOf } from '../../lib/jsonSchema.ts'
import type { CallRequest } from '../params/callParam.ts'
import type { BlockOverride, StateOverride } from '../params/overrides.ts'
import type { ReplayedCall } from '../params/replayParam.ts'
import type { Simulation } from '../params/simulationParam.ts'
import type { TraceCallParams } from '../params/traceParam.ts'
import type { ClientCall } from '../request.ts'

/**
 * What a chain can do beyond its blocks and logs. Methods ask it, and do not know who answers: a node (`nodeExecution.ts`) or a chain in
 * this process (`devchain/node/execution.ts`). Amounts are in the smallest unit of the chain, unless a unit is given.
 */
export type Execution = CallExecution &
  SendExecution & {
    /** @throws HistoricalStateError, RpcError when the chain does not have this state, as the next three */
    balance(account: Address, ref: BlockRef, call: Call): Promise<bigint>
    /** The code that runs at an address, `0x` when there is none. */
    code(account: Address, ref: BlockRef, call: Call): Promise<Hex>
    /** 32 bytes. */
    storage(contract: Address, slot: bigint, ref: BlockRef, call: Call): Promise<Hex>
    /** Transactions that an account has sent; with `pending` also those that wait. */
    nonce(account: Address, ref: BlockRef, call: Call): Promise<bigint | number>
    /** The frames of a transaction; undefined when it is in no block of the view. @throws RpcError, UpstreamError */
    frames(hash: Hash, asked: AskedFrames): Promise<TracedTransaction | undefined>
    /** The frames of all transactions of a block; undefined when there is no such block. @throws RpcError, UpstreamError */
    framesOfBlock(ref: BlockRef, asked: AskedFrames): Promise<TracedTransaction[] | undefined>
    /** The result of a tracer. @throws RpcError when there is no such transaction, or the chain cannot trace like this */
    trace(hash: Hash, asked: AskedTrace): Promise<unknown>
    /** The results for all transactions of a block. @throws as `trace` */
    traceBlock(ref: BlockRef, asked: AskedTrace): Promise<BlockTrace[]>
    /** What a sender offers for a unit of gas in the next block. */
    gasPrice(): Promise<bigint>
    /** The tip for a unit of gas of transactions that name none. */
    tip(): Promise<bigint>
    /** A history of fees with the tips at percentiles, and what else only this chain knows of its blocks. */
    withTips(history: FeeHistory, percentiles: readonly number[]): Promise<FeeHistory>
    /** Whether each transaction gets a block at once, as far as is known. */
    isMining(): Promise<boolean>
    /** The account that makes the next block. @throws RpcError when it is unknown */
    coinbase(): Promise<Address>
    /** Name and version of the program that clients talk to. */
    clientVersion(call: Call): Promise<string>
    /** Whether the chain has peers. */
    isListening(call: Call): Promise<boolean>
    /** The transactions that wait for a block. */
    waiting(call: Call): Promise<WaitingHashes>
    /** Whose waiting transactions are listed: those of its accounts as in geth, or all as in anvil. */
    listed(): Promise<'accounts' | 'all'>
    /** The number of those that wait for a block only, and of those that also wait for others of their sender. */
    waitingCounts(call: Call): Promise<{ pending: bigint | number; queued: bigint | number }>
  }

/**
 * Calls that change nothing. A node runs the first two; it runs them with changes, and the others, only in its newest state (`--simulate`).
 *
 * @throws RpcError when a call fails, or there is no such state; HistoricalStateError
 */
export type CallExecution = {
  /** What a call or creation code returns. */
  call(request: CallRequest, asked: AskedCall): Promise<Hex>
  /** The energy that a transaction needs, a quantity. */
  estimate(request: CallRequest, asked: AskedCall): Promise<Hex>
  /** The accounts and slots that a call uses, its gas with this list, and why it fails. */
  accessList(request: CallRequest, asked: AskedCall): Promise<AccessListResult>
  /** The blocks of a simulation, with the results of their calls. */
  simulate(simulation: Simulation, asked: AskedBlock): Promise<unknown>
  /** The result of a tracer. */
  traceCall(request: CallRequest, asked: AskedBlock & TraceCallParams): Promise<unknown>
  /** Parity's replays of calls, each on the state after the previous one. */
  replay(calls: readonly ReplayedCall[], asked: AskedBlock & AskedCall): Promise<readonly unknown[]>
}

/** Sends and signs transactions of its accounts. @throws RpcError when the account is not one of them, or the transaction is refused */
export type SendExecution = {
  /** Fills in the absent fields of a transaction. */
  fill(request: CallRequest, asked: AskedSend): Promise<FilledAnswer>
  /** Signs and sends a transaction. */
  send(request: CallRequest, asked: AskedSend): Promise<Hash>
  /** Sends signed bytes, native or Ethereum. */
  sendRaw(raw: Hex, asked: AskedSend): Promise<Hash>
  /** Signs a transaction: its bytes, or as geth the bytes with the fields. */
  sign(request: CallRequest, asked: AskedSend): Promise<Hex | FilledAnswer>
}

/** Who sends, and the unit of the amounts of an Ethereum transaction. */
export type AskedSend = { call: ClientCall; unit: Unit }

/** The bytes of a transaction, and its fields. */
export type FilledAnswer = { raw: Hex; tx: { from: string; hash?: Hash } }

/** The block that calls run after, and the unit of the amounts in the answer. */
export type AskedBlock = { call: ClientCall; ref: BlockRef; unit: Unit }

/** The block that a call runs after, and what is changed for it. */
export type AskedCall = Omit<AskedBlock, 'unit'> & { accounts: StateOverride; block: BlockOverride }

/** The result of `eth_createAccessList`. */
export type AccessListResult = { accessList: AccessList; gasUsed: Hex; error?: string }

/** Milliseconds that frames of one answer may take, when transactions run again for them. */
export const TRACE_TIME = 20_000

/** A reorg came between two reads of one answer. */
export const replacedError = () =>
  new RpcError(-32000, 'a reorg replaced the block while it was read; try again')

/** The result of `eth_feeHistory`. Prices are in sun. The members about blobs exist only on the development chain. */
export type FeeHistory = ValueOf<typeof feeHistory>

/** How frames are read. */
export type AskedFrames = {
  call: Call
  /** The unit of the amounts in the frames. */
  unit: Unit
  /** When an answer that runs transactions again must have ended, in monotonic milliseconds. @default after `TRACE_TIME` */
  end?: number
}

/** A transaction in a block, with its frames. */
export type TracedTransaction = { frame: CallFrame; place: TracePlace }

/** What a trace shows. */
export type AskedTrace = {
  request: TraceRequest
  call: Call
  /** Milliseconds. */
  timeout: number
  /** The unit of the amounts in the trace. */
  unit: Unit
}

/** The trace of a transaction in geth's answer for a block. */
export type BlockTrace = { txHash: Hash; result: unknown }

/** The ids of waiting transactions, and which of them also wait for others of their sender. */
export type WaitingHashes = { hashes: readonly Hash[]; isQueued(hash: Hash): boolean }
