import type { Unit } from '../../codec/unit.ts'
import { toNativeAddress } from '../../lib/address.ts'
import { RpcError } from '../../lib/errors.ts'
import {
  type AskedFrames,
  type Execution,
  type SendExecution,
  TRACE_TIME,
  type TracedTransaction,
} from '../../rpc/execution/execution.ts'
import {
  balanceOf,
  type ChainBlock,
  createFrameTracer,
  defaultTip,
  type DevChain,
  gasPriceOf,
  nonceOf,
  printFrame,
  slotKey,
  traceBlock,
  withoutBuiltIns,
} from '../index.ts'
import { numberOfBlock, stateOf } from './blockState.ts'
import { devCalls } from './calls.ts'
import { withTips } from './fees.ts'
import { CLIENT } from './node.ts'
import { blockOf, findBlock, findPlace, placeOf } from './trace/places.ts'
import { tracing } from './trace/tracing.ts'

/** What this chain can do in a view. It has the state of every block in memory, and runs transactions again for their traces. */
export function devExecution(chain: DevChain, options: devCalls.Options) {
  const { fork, ledger } = chain
  const { view } = options

  async function frames(
    block: ChainBlock,
    { end = performance.now() + TRACE_TIME, unit }: AskedFrames,
    only?: number,
  ): Promise<TracedTransaction[]> {
    if (block.header.number === 0) return []
    const options = { create: () => framesIn(unit), timeout: end - performance.now() }
    const traced = await traceBlock(ledger, block, options, only)
    return traced.map(({ hash, index, trace }) => ({
      frame: trace,
      place: {
        blockHash: `0x${block.id}`,
        blockNumber: block.header.number,
        transactionHash: `0x${hash}`,
        transactionPosition: index,
      },
    }))
  }

  return {
    ...devCalls(chain, options),

    async balance(account, ref) {
      const address = toNativeAddress(account)
      const height = numberOfBlock(chain, ref, view)
      if (fork && height !== undefined && height < fork.block.header.number)
        return fork.balanceAt(address, height)
      const { state } = await stateOf(chain, ref, view)
      return balanceOf(state, address)
    },

    async code(account, ref) {
      const { state } = await stateOf(chain, ref, view)
      return `0x${Buffer.from(state.get('code', toNativeAddress(account)) ?? []).toString('hex')}`
    },

    async storage(contract, slot, ref) {
      const { state } = await stateOf(chain, ref, view)
      const position = Buffer.from(slot.toString(16).padStart(64, '0'), 'hex')
      const value = state.get('storage', slotKey(state, toNativeAddress(contract), position)) ?? ''
      return `0x${value.padStart(64, '0')}`
    },

    // Native transactions do not count.
    async nonce(account, ref) {
      if (ref === 'pending' && view === 'full') return ledger.pendingNonce(toNativeAddress(account))
      const { state } = await stateOf(chain, ref, view)
      return nonceOf(state, toNativeAddress(account))
    },

    async frames(hash, asked) {
      const place = findPlace(chain, hash, view)
      return place && (await frames(place.block, asked, place.index))[0]
    },

    async framesOfBlock(ref, asked) {
      const block = findBlock(chain, ref, view)
      return block && frames(block, asked)
    },

    async trace(hash, asked) {
      const { block, index } = placeOf(chain, hash, view)
      const [traced] = await tracing(asked, (options) => traceBlock(ledger, block, options, index))
      return traced?.trace
    },

    async traceBlock(ref, asked) {
      const block = blockOf(chain, ref, view)
      if (block.header.number === 0) throw new RpcError(-32000, 'genesis is not traceable')
      const traces = await tracing(asked, (options) => traceBlock(ledger, block, options))
      return traces.map(({ hash, trace }) => ({ txHash: `0x${hash}`, result: trace }))
    },

    async gasPrice() {
      return gasPriceOf(ledger.newestState(), ledger.next()) + defaultTip(ledger.rules)
    },

    tip: async () => defaultTip(ledger.rules),
    withTips: async (history, percentiles) => withTips(chain, history, percentiles),
    isMining: async () => chain.automine,
    listed: async () => 'all',

    async coinbase() {
      return `0x${ledger.next().block.producer.slice(2)}`
    },

    clientVersion: async () => CLIENT,
    // As on anvil and Hardhat.
    isListening: async () => true,

    async waiting() {
      const ready = ledger.withoutGap().map(({ id }) => id)
      const all = new Set([...ready, ...ledger.pool().map(({ transaction }) => transaction.id)])
      return {
        hashes: Array.from(all, (id) => `0x${id}` as const),
        isQueued: (hash) => !ready.includes(hash.slice(2)),
      }
    },

    async waitingCounts() {
      const pending = ledger.withoutGap().length
      return { pending, queued: ledger.pool().length - pending }
    },
  } satisfies Omit<Execution, keyof SendExecution>
}

/** Traces the frames of a transaction, without calls of precompiled contracts, each with its own gas. */
const framesIn = (unit: Unit) =>
  createFrameTracer((frame) => printFrame(withoutBuiltIns(frame), {}, unit), false)
