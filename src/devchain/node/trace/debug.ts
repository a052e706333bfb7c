import { trace } from '../../../codec/traceSchemas.ts'
import { RpcError } from '../../../lib/errors.ts'
import { type AnyMethod, defineMethod } from '../../../rpc/method.ts'
import { requireOverrideNames } from '../../../rpc/params/overrides.ts'
import {
  blockRef,
  maybe,
  member,
  optional,
  type Param,
  quantity,
} from '../../../rpc/params/params.ts'
import { traceOptions, type TraceParams, traceParams } from '../../../rpc/params/traceParam.ts'
import { changeAccount, createOverlay, stateBehind, traceCall } from '../../index.ts'
import type { ChainBlock, DevChain } from '../../index.ts'
import { stateOf } from '../blockState.ts'
import { changeBlock } from '../calls.ts'
import { tracing } from '../execution.ts'
import { blockOverride, callRequest, stateOverride } from '../requests.ts'
import { blockOf } from './places.ts'

/** The options of a trace with state and block overrides. */
const traceCallParams: Param<
  TraceParams & {
    accounts: ReturnType<typeof stateOverride>
    block: ReturnType<typeof blockOverride>
    /** The call runs after this many transactions of its block. @default all of them */
    position: bigint | undefined
  }
> = (input, scope) => {
  const options = traceOptions(input)
  requireOverrideNames(options)
  return {
    ...traceParams(options, scope),
    accounts: member(options, 'stateOverrides', stateOverride, scope),
    block: member(options, 'blockOverrides', blockOverride, scope),
    position: member(options, 'txIndex', maybe(quantity)),
  }
}
traceCallParams.doc = {
  name: 'traceOptions',
  required: false,
  schema: { type: 'object' },
  description: `${traceParams.doc?.description}; stateOverrides, blockOverrides, txIndex`,
}

/** Geth's trace of a call. */
export function debugMethods(chain: DevChain): Record<string, AnyMethod> {
  const { ledger } = chain

  async function stateInside(block: ChainBlock, position: bigint) {
    const count = block.transactions.length
    if (block.header.number === 0 || position >= BigInt(count))
      throw new RpcError(-32000, `transaction index ${position} out of range for block of ${count}`)
    return stateBehind(ledger, block, Number(position))
  }

  const debug_traceCall = defineMethod({
    params: [callRequest, optional(blockRef, 'latest'), traceCallParams],
    result: trace,
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

  return { debug_traceCall }
}
