import type { Hash } from 'viem'

import type { CallFrame } from '../../../codec/callFrame.ts'
import * as schemas from '../../../codec/schemas.ts'
import type { Unit } from '../../../codec/unit.ts'
import { toNativeAddress } from '../../../lib/address.ts'
import { RpcError } from '../../../lib/errors.ts'
import { type AnyMethod, defineMethod } from '../../../rpc/method.ts'
import { address, blockRef, hash, named, optional, quantity } from '../../../rpc/params/params.ts'
import { withUnit } from '../../../rpc/params/withUnit.ts'
import { createTracer, runFetching, traceBlock } from '../../index.ts'
import type { DevChain } from '../../index.ts'
import { stateOf } from '../blockState.ts'
import { placeOf } from '../trace/places.ts'
import { entriesOf, operationsOf } from './operations.ts'
import { creationOf, transactionOfSender } from './search.ts'

/** Version of Otterscan's interface. */
const API_LEVEL = 8

/** Time limit of a trace, in milliseconds. */
const TIMEOUT = 20_000

const list = schemas.listOf({ type: 'object' })

/** Otterscan's methods for transactions, accounts and contracts. */
export function otterscanMethods(chain: DevChain): Record<string, AnyMethod> {
  const { ledger } = chain

  async function frameOf(transaction: Hash, unit: Unit, view: 'full' | 'solid') {
    const { block, index } = placeOf(chain, transaction, view)
    const create = () => createTracer({ tracer: 'callTracer', options: {} }, unit)
    const [traced] = await traceBlock(ledger, block, { create, timeout: TIMEOUT }, index)
    return traced?.trace as CallFrame
  }

  const ots_getApiLevel = defineMethod({
    params: [],
    result: { type: 'integer' },
    summary: 'version of Otterscan’s interface',
    handler: () => API_LEVEL,
  })

  const ots_hasCode = defineMethod({
    params: [address, optional(blockRef, 'latest')],
    result: schemas.boolean,
    summary: 'whether an account has code',
    async handler({ chain: { view } }, [who, ref]) {
      const { state } = await stateOf(chain, ref, view)
      return (state.get('code', toNativeAddress(who))?.length ?? 0) > 0
    },
  })

  const ots_getInternalOperations = defineMethod({
    params: [withUnit(named('transactionHash', hash))],
    result: list,
    summary: 'transfers, creations and destructions inside a transaction',
    handler: async ({ chain: { view } }, [{ unit, value }]) =>
      operationsOf(await frameOf(value, unit, view)),
  })

  const ots_traceTransaction = defineMethod({
    params: [withUnit(named('transactionHash', hash))],
    result: list,
    summary: 'the frames of a transaction with their depth',
    handler: async ({ chain: { view } }, [{ unit, value }]) =>
      entriesOf(await frameOf(value, unit, view)),
  })

  const ots_getTransactionError = defineMethod({
    params: [named('transactionHash', hash)],
    result: schemas.bytes,
    summary: 'revert data of a transaction; 0x when it has none',
    handler({ chain: { view } }, [transaction]) {
      const { block, index } = placeOf(chain, transaction, view)
      const { contractResult = [], receipt } = block.infos[index] ?? {}
      return `0x${receipt?.result === 'REVERT' ? (contractResult[0] ?? '') : ''}`
    },
  })

  const ots_getTransactionBySenderAndNonce = defineMethod({
    params: [address, quantity],
    result: schemas.nullable(schemas.hash),
    summary: 'the Ethereum transaction of an account with a nonce; null when there is none',
    handler: (_, [who, nonce]) => transactionOfSender(chain, toNativeAddress(who), nonce) ?? null,
  })

  const ots_getContractCreator = defineMethod({
    params: [address],
    result: schemas.nullable(schemas.object({ hash: schemas.hash, creator: schemas.address })),
    summary: 'the creator of a contract and its transaction; null for other accounts',
    async handler(_, [who]) {
      const address = toNativeAddress(who)
      const found = creationOf(chain, address)
      if (found) return { hash: `0x${found.id}`, creator: `0x${found.creator.slice(2)}` }
      if (chain.fork && (await runFetching(() => ledger.newestState().get('contract', address))))
        throw new RpcError(-32000, 'the contract is older than the fork')
      return null
    },
  })

  return {
    ots_getApiLevel,
    ots_getContractCreator,
    ots_getInternalOperations,
    ots_getTransactionBySenderAndNonce,
    ots_getTransactionError,
    ots_hasCode,
    ots_traceTransaction,
  }
}
