import type { Hash, Hex } from 'viem'

import * as schemas from '../codec/schemas.ts'
import { rawEthereum } from '../devchain/index.ts'
import type { DevChain } from '../devchain/index.ts'
import { RpcError } from '../errors.ts'
import { type AnyMethod, defineMethod } from '../jsonrpc/method.ts'
import { blockNumberOrTag, hash, index, named } from '../jsonrpc/params.ts'
import { numberOfBlock } from './blockState.ts'

const result = schemas.nullable(schemas.bytes)

const summary = 'the signed bytes of an Ethereum transaction; an error for a natively signed one'

/** The signed bytes of transactions. */
export function rawTransactionMethods(chain: DevChain): Record<string, AnyMethod> {
  const { ledger } = chain

  type Listed = ReturnType<typeof ledger.pool>[number]

  function rawOf(listed: Listed | undefined): Hex | null {
    if (!listed) return null
    const raw = rawEthereum(listed.transaction)
    if (raw) return raw
    throw new RpcError(-32000, 'the transaction was signed natively: it has no Ethereum bytes')
  }

  function withHash(transaction: Hash): Listed | undefined {
    const id = transaction.slice(2)
    const place = ledger.placeOf(id)
    return place
      ? ledger.block(place.block)?.transactions[place.index]
      : ledger.pool().find((listed) => listed.transaction.id === id)
  }

  const byHash = defineMethod({
    params: [named('transactionHash', hash)],
    result,
    summary,
    handler: (_, [transaction]) => rawOf(withHash(transaction)),
  })

  const byNumber = defineMethod({
    params: [blockNumberOrTag, index],
    result,
    summary,
    handler({ chain: { view } }, [ref, position]) {
      const number = numberOfBlock(chain, ref, view)
      return rawOf(number === undefined ? undefined : ledger.block(number)?.transactions[position])
    },
  })

  const byBlockHash = defineMethod({
    params: [named('blockHash', hash), index],
    result,
    summary,
    handler({ chain: { view } }, [blockHash, position]) {
      const number = numberOfBlock(chain, { blockHash }, view)
      return rawOf(number === undefined ? undefined : ledger.block(number)?.transactions[position])
    },
  })

  return {
    debug_getRawTransaction: byHash,
    eth_getRawTransactionByHash: byHash,
    eth_getRawTransactionByBlockHashAndIndex: byBlockHash,
    eth_getRawTransactionByBlockNumberAndIndex: byNumber,
  }
}
