import type { Hash, Hex } from 'viem'
import { bytesToHex } from 'viem/utils'

import { type FlatTrace, flatTraces } from '../../../codec/flatTrace.ts'
import * as schemas from '../../../codec/schemas.ts'
import type { Unit } from '../../../codec/unit.ts'
import { type AnyMethod, defineMethod } from '../../../rpc/method.ts'
import { signedBytes } from '../../../rpc/methods/eth_sendRawTransaction.ts'
import { blockRef, hash, named, withUnit } from '../../../rpc/params/params.ts'
import { type TraceKind, traceKinds } from '../../../rpc/params/replayParam.ts'
import {
  type ChainBlock,
  createFrameTracer,
  createTracer,
  createVmTracer,
  type DevChain,
  type EthereumCall,
  printFrame,
  traceBlock,
  traceCall,
  type VmTrace,
  withoutBuiltIns,
} from '../../index.ts'
import { type BlockState, stateOf } from '../blockState.ts'
import type { Signer } from '../signer.ts'
import { findBlock, findPlace } from './places.ts'
import { type AccountDiff, type PrestateDiff, stateDiffOf } from './stateDiff.ts'

/** Time limit of one answer, in milliseconds. */
const TIMEOUT = 20_000

/** A call with the parts of its replay. */
type ReplayedCall = { call: EthereumCall; kinds: readonly TraceKind[] }

/** The replay of a transaction, in Parity's format. */
type Replay = {
  output: Hex
  stateDiff: Record<string, AccountDiff> | null
  trace: Pick<FlatTrace, 'action' | 'error' | 'result' | 'subtraces' | 'traceAddress' | 'type'>[]
  vmTrace: VmTrace | null
}

/** Parity's replays: the frames of transactions and calls, and their state changes. */
export function replayMethods(
  chain: DevChain,
  { read }: Pick<Signer, 'read'>,
): Record<string, AnyMethod> {
  const { ledger } = chain

  async function replay(
    block: ChainBlock,
    { kinds, only, unit }: { kinds: readonly TraceKind[]; only?: number; unit: Unit },
  ): Promise<(Replay & { transactionHash: Hash })[]> {
    if (block.header.number === 0) return []
    const create = () => createReplayTracer(kinds, unit)
    const traced = await traceBlock(ledger, block, { create, timeout: TIMEOUT }, only)
    return traced.map(({ hash: id, trace }) => ({ ...trace, transactionHash: `0x${id}` }))
  }

  const trace_replayBlockTransactions = defineMethod({
    params: [withUnit(blockRef), traceKinds],
    result: schemas.nullable(schemas.listOf({ type: 'object' })),
    summary:
      'the frames (trace), changes (stateDiff) and operations (vmTrace) of all transactions of a block; null when there is no such block',
    async handler({ chain: { view } }, [{ unit, value }, kinds]) {
      const block = findBlock(chain, value, view)
      return block ? replay(block, { kinds, unit }) : null
    },
  })

  const trace_replayTransaction = defineMethod({
    params: [withUnit(named('transactionHash', hash)), traceKinds],
    result: schemas.nullable({ type: 'object' }),
    summary:
      'the frames (trace), changes (stateDiff) and operations (vmTrace) of a transaction; null when it is not in a block',
    async handler({ chain: { view } }, [{ unit, value }, kinds]) {
      const place = findPlace(chain, value, view)
      if (!place) return null
      const [replayed] = await replay(place.block, { kinds, only: place.index, unit })
      return replayed ?? null
    },
  })

  const trace_rawTransaction = defineMethod({
    params: [signedBytes, traceKinds],
    result: { type: 'object' },
    summary:
      'trace_call for a signed Ethereum transaction, in the next block and without sending it',
    async handler(_, [{ unit, value: raw }, kinds]): Promise<Replay> {
      const { fields, maxPrice, nonce: _nonce, ...call } = (await read(raw, unit)).ethereum
      const tip = fields['maxPriorityFeePerGas']
      const fees = typeof tip === 'string' ? { maxPrice, tip: BigInt(tip) } : { gasPrice: maxPrice }
      const pending = await stateOf(chain, 'pending', 'full')
      const [replayed] = await replayCalls(
        chain,
        pending,
        [{ call: { ...call, ...fees }, kinds }],
        unit,
      )
      return replayed as Replay
    },
  })

  return {
    trace_rawTransaction,
    trace_replayBlockTransactions,
    trace_replayTransaction,
  }
}

/** Runs calls in a block, one on top of the other. */
export async function replayCalls(
  { ledger }: DevChain,
  { block, state }: BlockState,
  calls: readonly ReplayedCall[],
  unit: Unit,
): Promise<Replay[]> {
  const replays: Replay[] = []
  const end = performance.now() + TIMEOUT
  let before = state
  for (const { call, kinds } of calls) {
    const create = () => createReplayTracer(kinds, unit)
    const options = { block, create, rules: ledger.rules, timeout: end - performance.now() }
    const { after, trace } = await traceCall(before, call, options)
    replays.push(trace)
    before = after
  }
  return replays
}

function createReplayTracer(kinds: readonly TraceKind[], unit: Unit) {
  const frames = createFrameTracer(
    (frame) => flatTraces(printFrame(withoutBuiltIns(frame), {}, unit), NO_PLACE).map(withoutPlace),
    false,
  )
  const state = createTracer({ tracer: 'prestateTracer', options: { diffMode: true } }, unit)
  const operations = kinds.includes('vmTrace') ? createVmTracer() : undefined
  return {
    observe(...run: Parameters<typeof frames.observe>) {
      frames.observe(...run)
      state.observe(...run)
      operations?.observe(...run)
    },
    result(run: Parameters<typeof state.result>[0]): Replay {
      return {
        output: bytesToHex(run.output),
        stateDiff: kinds.includes('stateDiff')
          ? stateDiffOf(state.result(run) as PrestateDiff)
          : null,
        trace: kinds.includes('trace') ? frames.result(run) : [],
        vmTrace: operations?.result() ?? null,
      }
    },
  }
}

const NO_PLACE = {
  blockHash: '0x',
  blockNumber: 0,
  transactionHash: '0x',
  transactionPosition: 0,
} as const

function withoutPlace({
  blockHash: _block,
  blockNumber: _number,
  transactionHash: _transaction,
  transactionPosition: _position,
  ...trace
}: FlatTrace): Replay['trace'][number] {
  return trace
}
