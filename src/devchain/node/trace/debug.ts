import type { Hash } from 'viem'

import type { BlockRef } from '../../../codec/blockRef.ts'
import { RpcError } from '../../../lib/errors.ts'
import { type AnyMethod, defineMethod } from '../../../rpc/method.ts'
import { blockNumberOrTag, blockRef, hash, named, optional } from '../../../rpc/params/params.ts'
import {
  changeAccount,
  createOverlay,
  createTracer,
  stateBehind,
  traceBlock,
  traceCall,
  withSandbox,
} from '../../index.ts'
import type { ChainBlock, DevChain, Sandbox, Tracer } from '../../index.ts'
import { stateOf } from '../blockState.ts'
import { changeBlock } from '../calls.ts'
import { callRequest } from '../requests.ts'
import { blockOf, placeOf } from './places.ts'
import * as schemas from './schemas.ts'
import { traceCallParams, type TraceParams, traceParams } from './traceParams.ts'

/** Geth's traces. The chain executes a transaction again on the state before it. */
export function debugMethods(chain: DevChain): Record<string, AnyMethod> {
  const { ledger } = chain

  type Options = { create: () => Tracer; timeout: number }

  function tracing<result>(
    { request, timeout, unit }: TraceParams,
    trace: (options: Options) => Promise<result>,
  ): Promise<result> {
    const run = (sandbox?: Sandbox) =>
      trace({ create: () => createTracer(request, unit, sandbox), timeout })
    return request.tracer === 'javascript' ? withSandbox(timeout, run) : run()
  }

  async function traceWhole(block: ChainBlock, params: TraceParams) {
    if (block.header.number === 0) throw new RpcError(-32000, 'genesis is not traceable')
    const traces = await tracing(params, (options) => traceBlock(ledger, block, options))
    return traces.map(({ hash, trace }) => ({ txHash: `0x${hash}` satisfies Hash, result: trace }))
  }

  const debug_traceTransaction = defineMethod({
    params: [named('transactionHash', hash), traceParams],
    result: schemas.trace,
    summary: 'trace of a transaction: every operation, or the output of a tracer',
    async handler({ chain: { view } }, [transaction, params]) {
      const { block, index } = placeOf(chain, transaction, view)
      const [traced] = await tracing(params, (options) => traceBlock(ledger, block, options, index))
      return traced?.trace
    },
  })

  async function stateInside(block: ChainBlock, position: bigint) {
    const count = block.transactions.length
    if (block.header.number === 0 || position >= BigInt(count))
      throw new RpcError(-32000, `transaction index ${position} out of range for block of ${count}`)
    return stateBehind(ledger, block, Number(position))
  }

  const traceByRef = (ref: BlockRef, view: 'full' | 'solid', params: TraceParams) =>
    traceWhole(blockOf(chain, ref, view), params)

  const debug_traceBlockByNumber = defineMethod({
    params: [blockNumberOrTag, traceParams],
    result: schemas.blockTraces,
    summary: 'traces of all transactions of a block',
    handler: ({ chain: { view } }, [number, params]) => traceByRef(number, view, params),
  })

  const debug_traceBlockByHash = defineMethod({
    params: [named('blockHash', hash), traceParams],
    result: schemas.blockTraces,
    summary: 'traces of all transactions of a block',
    handler: ({ chain: { view } }, [blockHash, params]) => traceByRef({ blockHash }, view, params),
  })

  const debug_traceCall = defineMethod({
    params: [callRequest, optional(blockRef, 'latest'), traceCallParams],
    result: schemas.trace,
    summary: 'trace of a call at any block, with state and block overrides',
    async handler({ chain: { view } }, [call, ref, given]) {
      const { accounts, block: changes, position, ...params } = given
      const { block, state } = await stateOf(chain, ref, view)
      const changed = createOverlay(
        position === undefined ? state : await stateInside(blockOf(chain, ref, view), position),
      )
      for (const [address, change] of accounts)
        changeAccount(changed, address, change, block.timestamp)
      const { trace } = await tracing(params, (options) =>
        traceCall(changed, call, {
          ...options,
          block: changeBlock(block, changes),
          rules: ledger.rules,
        }),
      )
      return trace
    },
  })

  return {
    debug_traceBlockByHash,
    debug_traceBlockByNumber,
    debug_traceCall,
    debug_traceTransaction,
  }
}
