import type { Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import type { BlockRef } from '../../codec/blockRef.ts'
import { toNativeAddress } from '../../lib/address.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { blockRef, optional } from '../../rpc/params/params.ts'
import type { ClientCall } from '../../rpc/request.ts'
import {
  callEthereum,
  changeAccount,
  createOverlay,
  EstimateFailure,
  estimateEthereum,
} from '../index.ts'
import type { BlockContext, DevChain, State } from '../index.ts'
import { stateOf } from './blockState.ts'
import type { FailureOf } from './failures.ts'
import {
  type BlockOverride,
  blockOverride,
  callRequest,
  type StateOverride,
  stateOverride,
} from './requests.ts'

/**
 * Calls and estimates at any block, with state and block overrides.
 *
 * @param print - Prints the console output of a call. Without it, in front of a real node, reverts are not examined for their words.
 */
export function callMethods(
  chain: DevChain,
  failureOf: FailureOf,
  print?: (call: ClientCall, printed: readonly Uint8Array[]) => void,
): Record<string, AnyMethod> {
  const explain = print !== undefined

  const eth_call = defineMethod({
    params: [callRequest, optional(blockRef, 'latest'), stateOverride, blockOverride],
    summary: 'runs a call or creation code without a transaction, at any block',
    async handler(context, [request, ref, accounts, blockChange], call): Promise<Hex> {
      const { block, state } = await changedState(chain, ref, context.chain.view, {
        accounts,
        block: blockChange,
      })
      const result = await callEthereum(state, request, {
        block,
        explain,
        rules: chain.ledger.rules,
      })
      print?.(call, result.printed)
      if (result.failure) throw failureOf(result)
      return `0x${Buffer.from(result.output).toString('hex')}`
    },
  })

  const eth_estimateGas = defineMethod({
    params: [callRequest, optional(blockRef, 'pending'), stateOverride, blockOverride],
    summary:
      'energy that a transaction needs in the next block; never below Ethereum’s intrinsic gas',
    async handler(context, [request, ref, accounts, blockChange], call) {
      const { block, state } = await changedState(chain, ref, context.chain.view, {
        accounts,
        block: blockChange,
      })
      const gas = estimateEthereum(state, request, { block, explain, rules: chain.ledger.rules })
      return numberToHex(
        await gas.catch((error: unknown) => {
          // An estimate runs the call several times. As on Hardhat, it prints only when the call fails.
          if (error instanceof EstimateFailure) print?.(call, error.result.printed)
          throw error
        }),
      )
    },
  })

  return { eth_call, eth_estimateGas }
}

/** The state and the block context at a block argument, with the caller's overrides. */
export async function changedState(
  chain: DevChain,
  ref: BlockRef,
  view: 'full' | 'solid',
  { accounts, block: change }: { accounts: StateOverride; block: BlockOverride },
): Promise<{ state: State; block: BlockContext }> {
  const { block, state } = await stateOf(chain, ref, view)
  const changed = createOverlay(state)
  for (const [address, change] of accounts) changeAccount(changed, address, change, block.timestamp)
  return { state: changed, block: changeBlock(block, change) }
}

/** A block with the caller's overrides. */
export function changeBlock(block: BlockContext, change: BlockOverride): BlockContext {
  const { baseFee, feeRecipient, gasLimit, number, prevRandao, time } = change
  return {
    ...block,
    ...(number !== undefined && { number: Number(number) }),
    ...(time !== undefined && { timestamp: Number(time) * 1000 }),
    ...(feeRecipient && { producer: toNativeAddress(feeRecipient) }),
    ...(gasLimit !== undefined && { gasLimit }),
    ...(baseFee !== undefined && { baseFee }),
    ...(prevRandao !== undefined && { prevRandao }),
  }
}
