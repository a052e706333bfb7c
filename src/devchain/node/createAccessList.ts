import type { AccessList } from 'viem'
import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import { currentTurn } from '../../lib/turn.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { blockRef, maybe, member, optional, type Param } from '../../rpc/params/params.ts'
import { createAccessListTracer, traceCall } from '../index.ts'
import type { DevChain, EthereumCall } from '../index.ts'
import { accessList } from './accessList.ts'
import { changedState } from './calls.ts'
import { blockOverride, callRequest, stateOverride } from './requests.ts'

/** Time limit of all runs, in milliseconds. */
const TIMEOUT = 5_000

/** A call with the access list that its sender has already. */
const callWithList: Param<{ call: EthereumCall; given?: AccessList | undefined }> = (
  input,
  scope,
) => {
  const call = callRequest(input, scope)
  return { call, given: member(input as Record<string, unknown>, 'accessList', maybe(accessList)) }
}

/** `eth_createAccessList`, from a run of the call. */
export function accessListMethods(chain: DevChain): Record<string, AnyMethod> {
  const eth_createAccessList = defineMethod({
    params: [callWithList, optional(blockRef, 'latest'), stateOverride, blockOverride],
    result: schemas.accessListResult,
    summary: 'accounts and slots that a call uses, and its gas with this list',
    async handler({ chain: { view } }, [{ call, given = [] }, ref, accounts, change]) {
      const { block, state } = await changedState(chain, ref, view, { accounts, block: change })
      const turn = currentTurn()
      const end = turn.used() + TIMEOUT
      const run = async (list: AccessList) => {
        const { trace } = await traceCall(
          state,
          { ...call, accessList: list },
          {
            block,
            create: () => createAccessListTracer(list),
            rules: chain.ledger.rules,
            timeout: end - turn.used(),
          },
        )
        return trace
      }
      // The list has a price, and makes accesses cheaper. So, as in geth, the call runs until it uses the list that it had.
      let list = given
      let traced = await run(list)
      while (JSON.stringify(traced.accessList) !== JSON.stringify(list)) {
        list = traced.accessList
        traced = await run(list)
      }
      return { ...traced, gasUsed: numberToHex(traced.gasUsed) }
    },
  })

  return { eth_createAccessList }
}
