import type { CallFrame } from '../../../codec/callFrame.ts'
import { toData } from '../../../codec/quantity.ts'
import * as schemas from '../../../codec/schemas.ts'
import { toNativeAddress } from '../../../lib/address.ts'
import { type AnyMethod, defineMethod } from '../../../rpc/method.ts'
import { internalOperationsBy } from '../../../rpc/methods/ots_getInternalOperations.ts'
import { hasCodeBy } from '../../../rpc/methods/ots_hasCode.ts'
import { traceTransactionBy } from '../../../rpc/methods/ots_traceTransaction.ts'
import type { FrameOf } from '../../../rpc/methods/recordedTraces.ts'
import { address, quantity } from '../../../rpc/params/params.ts'
import { createTracer, traceBlock } from '../../index.ts'
import type { DevChain } from '../../index.ts'
import { stateOf } from '../blockState.ts'
import { placeOf } from '../trace/places.ts'
import { transactionOfSender } from './search.ts'

/** Time limit of a trace, in milliseconds. */
const TIMEOUT = 20_000

/** Otterscan's methods for accounts and contracts, and those that read what only this chain has. */
export function otterscanMethods(chain: DevChain): Record<string, AnyMethod> {
  const { ledger } = chain

  const frameOf: FrameOf = async (transaction, unit, { chain: { view } }) => {
    const { block, index } = placeOf(chain, transaction, view)
    const create = () => createTracer({ tracer: 'callTracer', options: {} }, unit)
    const [traced] = await traceBlock(ledger, block, { create, timeout: TIMEOUT }, index)
    return traced?.trace as CallFrame
  }

  const ots_getTransactionBySenderAndNonce = defineMethod({
    params: [address, quantity],
    result: schemas.nullable(schemas.hash),
    summary: 'the Ethereum transaction of an account with a nonce; null when there is none',
    handler: (_, [who, nonce]) => transactionOfSender(chain, toNativeAddress(who), nonce) ?? null,
  })

  return {
    ots_getInternalOperations: internalOperationsBy(frameOf),
    ots_getTransactionBySenderAndNonce,
    ots_hasCode: hasCodeBy(async ({ chain: { view } }, who, ref) => {
      const { state } = await stateOf(chain, ref, view)
      return toData(Buffer.from(state.get('code', toNativeAddress(who)) ?? []).toString('hex'))
    }),
    ots_traceTransaction: traceTransactionBy(frameOf),
  }
}
