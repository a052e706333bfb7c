import { hexToBytes } from 'viem/utils'

import { transactionParties } from '../../codec/transaction.ts'
import { toNativeAddress } from '../../lib/address.ts'
import { currentTurn } from '../../lib/turn.ts'
import type { ChainBlock } from '../blocks/block.ts'
import { callEthereum, countCall, type EthereumCall } from '../execution/call.ts'
import { gasPriceOf, paidPriceOf } from '../execution/executeEthereum.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createOverlay, type StateReader } from '../state/state.ts'
import { printTransaction } from '../transactions/transaction.ts'
import type { runVm, VmResult } from '../vm/run.ts'
import type { Frame } from './frame.ts'
import { replayBlock, type Replayed } from './replay.ts'
import { type Tracer, TraceTimeoutError } from './tracer.ts'
import { observeUntil } from './tracers.ts'

/** Options of a trace. */
export type TraceOptions<trace> = {
  /** Creates the tracer of one transaction. */
  create: () => Tracer<trace>
  /** Time limit of all traces together, milliseconds. */
  timeout: number
}

/** The trace of one transaction of a block. */
export type TracedTransaction<trace> = { index: number; hash: string; trace: trace }

/**
 * Traces transactions of a block: all of them, or the one at `only`.
 *
 * @throws ReplayError, TraceTimeoutError, TraceSizeError
 */
export async function traceBlock<trace>(
  ledger: Ledger,
  block: ChainBlock,
  { create, timeout }: TraceOptions<trace>,
  only?: number,
): Promise<TracedTransaction<trace>[]> {
  const turn = currentTurn()
  const end = turn.used() + timeout
  const traces: TracedTransaction<trace>[] = []
  let tracer: Tracer<trace> | undefined
  const listen = (index: number): runVm.Observe | undefined => {
    tracer = only === undefined || index === only ? create() : undefined
    return tracer && observeUntil(turn, end, tracer.observe)
  }
  for await (const replayed of replayBlock(ledger, block, listen)) {
    const { index, transaction } = replayed
    if (tracer) traces.push({ index, hash: transaction.id, trace: tracer.result(runOf(replayed)) })
    if (index === only) break
  }
  return traces

  function runOf({ after, before, index, info, transaction }: Replayed) {
    const context = ledger.contextAt(block)
    const { block: seen } = context
    const price = gasPriceOf(before, context)
    const output = Buffer.from(info.contractResult?.[0] ?? '', 'hex')
    return {
      after,
      before,
      failed: info.result === 'FAILED',
      ...(seen.hardfork && transaction.ethereum && { gas: transaction.ethereum.gas }),
      gasUsed: BigInt(info.receipt?.energy_usage_total ?? 0),
      output,
      plain: plainFrame(transaction, info),
      producer: seen.producer,
      place: {
        blockHash: block.id,
        number: seen.number,
        price: transaction.ethereum ? paidPriceOf(transaction.ethereum, price, context) : price,
        transaction: { hash: transaction.id, index },
      },
    }
  }
}

/**
 * The frame of a transaction that runs no code: the transfer as which Ethereum tools see one of a native type, or a creation at an address
 * that is taken.
 */
function plainFrame(transaction: Replayed['transaction'], info: Replayed['info']): Frame {
  const parties = transactionParties(printTransaction(transaction, undefined), info)
  const { from, input, to, value } = parties
  const error = Buffer.from(info.resMessage ?? '', 'hex').toString()
  return {
    kind: transaction.type === 'CreateSmartContract' ? 'CREATE' : 'CALL',
    from: toNativeAddress(from),
    ...(to && { to: toNativeAddress(to) }),
    value,
    gas: transaction.ethereum?.gas ?? 0n,
    gasUsed: BigInt(info.receipt?.energy_usage_total ?? 0),
    input: hexToBytes(input),
    output: new Uint8Array(0),
    ...(error !== '' && { error }),
    calls: [],
    logs: [],
  }
}

/**
 * Traces a call without a transaction. The sender's nonce is counted, as for a transaction. Also returns the state after
 * the call, for another call on top of it.
 *
 * @throws EthereumError when the caller has less than the value; TraceTimeoutError, TraceSizeError
 */
export async function traceCall<trace>(
  state: StateReader,
  call: EthereumCall,
  { block, create, rules, timeout }: traceCall.Options<trace>,
): Promise<{ trace: trace; after: StateReader }> {
  const after = createOverlay(state)
  const tracer = create()
  const turn = currentTurn()
  const observe = observeUntil(turn, turn.used() + timeout, tracer.observe)
  const result = await callEthereum(after, call, { block, observe, rules, timeout })
  const { energyUsed, failure, output } = result
  if (failure?.result === 'OUT_OF_TIME') throw new TraceTimeoutError('execution timeout')
  countCall(after, call)
  const hasOutput = !failure || failure.result === 'REVERT'
  const trace = tracer.result({
    after,
    before: state,
    failed: failure !== undefined,
    ...(block.hardfork && { gas: call.gas ?? rules.gasLimit }),
    gasUsed: energyUsed,
    output: hasOutput ? output : new Uint8Array(0),
    plain: plainCall({ gas: rules.gasLimit, ...call }, result),
    producer: block.producer,
    place: { number: block.number, price: call.gasPrice ?? 0n },
  })
  return { trace, after }
}

/** The frame of a call that runs no code. */
export function plainCall(
  { data, from, gas = 0n, to, value }: EthereumCall,
  { energyUsed, failure, output }: Pick<VmResult, 'energyUsed' | 'failure' | 'output'>,
): Frame {
  return {
    kind: to ? 'CALL' : 'CREATE',
    from,
    ...(to && { to }),
    value,
    gas,
    gasUsed: energyUsed,
    input: Buffer.from(data, 'hex'),
    output,
    ...(failure && { error: failure.message }),
    calls: [],
    logs: [],
  }
}

export declare namespace traceCall {
  type Options<trace> = TraceOptions<trace> &
    Pick<Parameters<typeof callEthereum>[2], 'block' | 'rules'>
}
