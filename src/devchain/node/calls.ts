import type { AccessList } from 'viem'
import { bytesToHex, numberToHex } from 'viem/utils'

import type { BlockRef } from '../../codec/blockRef.ts'
import type { Config } from '../../config/config.ts'
import { RpcError } from '../../lib/errors.ts'
import { currentTurn } from '../../lib/turn.ts'
import type { CallExecution } from '../../rpc/execution/execution.ts'
import type { CallRequest } from '../../rpc/params/callParam.ts'
import type { BlockOverride, StateOverride } from '../../rpc/params/overrides.ts'
import type { ClientCall } from '../../rpc/request.ts'
import {
  callEthereum,
  createAccessListTracer,
  type DevChain,
  estimateEthereum,
  EstimateFailure,
  stateBehind,
  type StateReader,
  traceCall,
} from '../index.ts'
import { stateOf } from './blockState.ts'
import { changeBlock, withAccounts } from './changes.ts'
import type { FailureOf } from './failures.ts'
import { toEthereumCall } from './requests.ts'
import { simulateBlocks } from './simulate.ts'
import { blockOf } from './trace/places.ts'
import { replayCalls } from './trace/replay.ts'
import { tracing } from './trace/tracing.ts'

/** Time limit of all runs for an access list, in milliseconds. */
const TIMEOUT = 5_000

/** Calls at any block of this chain, with state and block overrides. */
export function devCalls(chain: DevChain, options: devCalls.Options): CallExecution {
  const { failureOf, feeSignal, mostGas, print, view } = options
  const { ledger } = chain
  const { rules } = ledger
  // In front of a real node reverts are not examined for their words.
  const explain = print !== undefined
  const callOf = (request: CallRequest) => toEthereumCall(request, mostGas)

  /** The state and the block context of a call. */
  async function changedState({ accounts, block: change, ref }: Changed) {
    const at = await stateOf(chain, ref, view)
    return { state: withAccounts(at, accounts), block: changeBlock(at.block, change) }
  }

  async function stateInside(ref: BlockRef, position: bigint): Promise<StateReader> {
    const block = blockOf(chain, ref, view)
    const count = block.transactions.length
    if (block.header.number === 0 || position >= BigInt(count))
      throw new RpcError(-32000, `transaction index ${position} out of range for block of ${count}`)
    return stateBehind(ledger, block, Number(position))
  }

  return {
    async call(request, { call, ...changed }) {
      const { block, state } = await changedState(changed)
      const result = await callEthereum(state, callOf(request), { block, explain, rules })
      print?.(call, result.printed)
      if (result.failure) throw failureOf(result)
      return bytesToHex(result.output)
    },

    async estimate(request, { call, ...changed }) {
      const { block, state } = await changedState(changed)
      const gas = estimateEthereum(state, callOf(request), { block, explain, rules })
      return numberToHex(
        await gas.catch((error: unknown) => {
          // An estimate runs the call several times. As on Hardhat, it prints only when the call fails.
          if (error instanceof EstimateFailure) print?.(call, error.result.printed)
          throw error
        }),
      )
    },

    async accessList(request, changed) {
      const { block, state } = await changedState(changed)
      const { accessList: given = [], ...call } = callOf(request)
      const turn = currentTurn()
      const end = turn.used() + TIMEOUT
      const run = async (list: AccessList) => {
        const create = () => createAccessListTracer(list)
        const timeout = end - turn.used()
        const options = { block, create, rules, timeout }
        return (await traceCall(state, { ...call, accessList: list }, options)).trace
      }
      // The list has a price, and makes accesses cheaper. So, as in geth, the call runs until it uses the list that it had.
      let list: AccessList = given
      let traced = await run(list)
      while (JSON.stringify(traced.accessList) !== JSON.stringify(list)) {
        list = traced.accessList
        traced = await run(list)
      }
      return { ...traced, gasUsed: numberToHex(traced.gasUsed) }
    },

    simulate: (simulation, { ref, unit }) =>
      simulateBlocks(chain, simulation, { callOf, failureOf, feeSignal, ref, unit, view }),

    async traceCall(request, { accounts, block: change, position, ref, ...asked }) {
      const { block, state } = await stateOf(chain, ref, view)
      const inside = position === undefined ? state : await stateInside(ref, position)
      const changed = withAccounts({ block, state: inside }, accounts)
      const changes = { block: changeBlock(block, change), rules }
      const { trace } = await tracing(asked, (options) =>
        traceCall(changed, callOf(request), { ...options, ...changes }),
      )
      return trace
    },

    async replay(calls, { unit, ...changed }) {
      const wanted = calls.map(({ kinds, request }) => ({ call: callOf(request), kinds }))
      return replayCalls(chain, await changedState(changed), wanted, unit)
    },
  }
}

export declare namespace devCalls {
  type Options = {
    failureOf: FailureOf
    feeSignal: Config['feeSignal']
    /** The most gas of a call. @default any */
    mostGas?: bigint
    /** Prints the console output of a call. */
    print?: ((call: ClientCall, printed: readonly Uint8Array[]) => void) | undefined
    view: 'full' | 'solid'
  }
}

type Changed = { accounts: StateOverride; block: BlockOverride; ref: BlockRef }
