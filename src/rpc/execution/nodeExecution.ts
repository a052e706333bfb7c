import { numberToHex } from 'viem/utils'

import { balanceAt } from '../../chain/state/balance.ts'
import { runCall } from '../../chain/state/call.ts'
import { codeAt } from '../../chain/state/code.ts'
import { estimateGas } from '../../chain/state/estimate.ts'
import { storageAt } from '../../chain/state/storage.ts'
import type { BlockRef } from '../../codec/blockRef.ts'
import type { CallFrame } from '../../codec/callFrame.ts'
import type { CallTracerOptions, TraceRequest } from '../../codec/traceRequest.ts'
import type { Call } from '../../lib/call.ts'
import { HistoricalStateError, InvalidParamsError, RpcError } from '../../lib/errors.ts'
import { VERSION } from '../../lib/version.ts'
import type { NativeClient } from '../../native/client.ts'
import { shownRelease } from '../../native/shownText.ts'
import { type CallRequest, toPlainCall } from '../params/callParam.ts'
import type { AskedCall, Execution } from './execution.ts'
import { createNodeSending } from './nodeSending.ts'
import { type FrameParts, recordedFrame, recordedFrames } from './recordedFrames.ts'
import { createSimulated } from './simulated.ts'

/** What a node can do: it has the newest state, and records the calls inside transactions, but no operations. */
export function createNodeExecution(parts: createNodeExecution.Options): Execution {
  const { chain, native, nodeRpc, sending } = parts
  const simulated = createSimulated(parts)

  async function stateAt(ref: BlockRef, call: Call) {
    return { native, call, source: await chain.state(ref) }
  }

  /** @throws RpcError for a call that is meant for another chain, as geth */
  function plainCall(request: CallRequest) {
    const { chainId } = request
    if (chainId !== undefined && chainId !== BigInt(chain.id))
      throw new RpcError(
        -32000,
        `chainId does not match node's (have=${chainId}, want=${chain.id})`,
      )
    return toPlainCall(request)
  }

  return {
    ...simulated,
    ...createNodeSending(parts),

    async call(request, asked) {
      const call = plainCall(request)
      if (isChanged(asked)) return simulated.call({ ...request, ...call }, asked)
      return (await runCall(call, await stateAt(asked.ref, asked.call)))?.data ?? '0x'
    },

    async estimate(request, asked) {
      const call = plainCall(request)
      if (isChanged(asked)) return simulated.estimate({ ...request, ...call }, asked)
      return numberToHex(await estimateGas(call, await stateAt(asked.ref, asked.call)))
    },

    async traceCall(request, asked) {
      if (asked.position !== undefined)
        throw new InvalidParamsError(
          2,
          'txIndex is not supported: the node keeps no state inside a block',
        )
      return simulated.traceCall(request, asked)
    },

    balance: async (account, ref, call) => balanceAt(account, await stateAt(ref, call)),
    code: async (account, ref, call) => codeAt(account, await stateAt(ref, call)),
    storage: async (contract, slot, ref, call) =>
      storageAt(contract, slot, await stateAt(ref, call), nodeRpc()),

    // The chain has no nonces: this gateway counts what was sent through it.
    async nonce(account, ref) {
      if (ref === 'pending') return sending.count(account, 'pending')
      const source = await chain.state(ref)
      if (source.at === 'historic') throw new HistoricalStateError('of transaction counts')
      return sending.count(account, 'mined')
    },

    frames: (hash, asked) => recordedFrame(hash, asked, parts),
    framesOfBlock: (ref, asked) => recordedFrames(ref, asked, parts),

    async trace(hash, { request, ...asked }) {
      const options = callTracerOptions(request)
      const traced = await recordedFrame(hash, asked, parts)
      if (!traced) throw new RpcError(-32000, 'transaction not found')
      return requestedFrame(traced.frame, options)
    },

    async traceBlock(ref, { request, ...asked }) {
      const options = callTracerOptions(request)
      const block = await chain.resolve(ref, asked.call)
      if (block?.number === 0) throw new RpcError(-32000, 'genesis is not traceable')
      const traced = block && (await recordedFrames({ blockHash: block.hash }, asked, parts))
      if (!traced) throw new RpcError(-32000, `block ${nameOf(ref)} not found`)
      return traced.map(({ frame, place }) => ({
        txHash: place.transactionHash,
        result: requestedFrame(frame, options),
      }))
    },

    gasPrice: () => chain.energyPrice(),

    // The chain has no tips.
    tip: async () => 0n,

    async withTips(history, percentiles) {
      if (percentiles.length === 0) return history
      return { ...history, reward: history.gasUsedRatio.map(() => percentiles.map(() => '0x0')) }
    },

    // The gateway cannot see whether its node produces blocks.
    isMining: async () => false,

    // The node's HTTP API does not show the producer. The words are those of a node that produces no blocks.
    async coinbase() {
      throw new RpcError(-32000, 'etherbase must be explicitly specified')
    },

    async clientVersion(call) {
      const { configNodeInfo } = await native.wallet.getNodeInfo(undefined, call)
      const release = shownRelease(configNodeInfo?.codeVersion) ?? 'unknown'
      return `ethgate/v${VERSION}/java-tron/v${release}`
    },

    async isListening(call) {
      const { activeConnectCount = 0 } = await native.wallet.getNodeInfo(undefined, call)
      return activeConnectCount > 0
    },

    async waiting(call) {
      const { txId = [] } = await native.wallet.getTransactionListFromPending(undefined, call)
      return { hashes: txId.map((id) => `0x${id}` as const), isQueued: () => false }
    },

    listed: async () => 'accounts',

    async waitingCounts(call) {
      const { pendingSize } = await native.wallet.getPendingSize(undefined, call)
      return { pending: pendingSize ?? 0, queued: 0 }
    },
  }
}

export declare namespace createNodeExecution {
  type Options = FrameParts & createSimulated.Options & { native: NativeClient }
}

/** Whether a call needs changes that a node cannot make. */
const isChanged = ({ accounts, block }: AskedCall) =>
  accounts.length > 0 || Object.keys(block).length > 0

/** The options of a tracer that the records of a node suffice for. @throws InvalidParamsError for any other */
function callTracerOptions(request: TraceRequest): CallTracerOptions {
  if (request.tracer !== 'callTracer')
    throw new InvalidParamsError(
      1,
      'the node records calls but no opcodes: the only supported tracer is {"tracer": "callTracer"}',
    )
  if (request.options.withLog)
    throw new InvalidParamsError(
      1,
      'withLog: the node does not record which call emitted a log; read the receipt',
    )
  return request.options
}

function requestedFrame(
  { calls, ...top }: CallFrame,
  { onlyTopCall = false }: CallTracerOptions,
): CallFrame {
  return onlyTopCall || !calls ? top : { ...top, calls }
}

const nameOf = (ref: BlockRef) => {
  if (typeof ref === 'object') return ref.blockHash
  return typeof ref === 'number' ? `#${ref}` : ref
}
