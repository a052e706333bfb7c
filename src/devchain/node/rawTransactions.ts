import type { Hash, Hex } from 'viem'

import type { BlockRef } from '../../codec/blockRef.ts'
import * as schemas from '../../codec/schemas.ts'
import { RpcError } from '../../lib/errors.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { blockNumberOrTag, hash, index, named } from '../../rpc/params/params.ts'
import { rawEthereum } from '../index.ts'
import type { DevChain } from '../index.ts'
import { numberOfBlock } from './blockState.ts'
import { ownBlock, ownPlace } from './trace/places.ts'

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
    const waiting = ledger.pool().find((listed) => listed.transaction.id === id)
    if (waiting) return waiting
    const place = ownPlace(chain, transaction)
    return place && ledger.block(place.block)?.transactions[place.index]
  }

  function inBlock(ref: BlockRef, position: number, view: 'full' | 'solid'): Listed | undefined {
    const number = numberOfBlock(chain, ref, view)
    return number === undefined ? undefined : ownBlock(chain, number)?.transactions[position]
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
    handler: ({ chain: { view } }, [ref, position]) => rawOf(inBlock(ref, position, view)),
  })

  const byBlockHash = defineMethod({
    params: [named('blockHash', hash), index],
    result,
    summary,
    handler: ({ chain: { view } }, [blockHash, position]) =>
      rawOf(inBlock({ blockHash }, position, view)),
  })

  return {
    debug_getRawTransaction: byHash,
    eth_getRawTransactionByHash: byHash,
    eth_getRawTransactionByBlockHashAndIndex: byBlockHash,
    eth_getRawTransactionByBlockNumberAndIndex: byNumber,
  }
}
