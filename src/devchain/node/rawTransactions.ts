import type { Hash, Hex } from 'viem'

import type { BlockRef } from '../../codec/blockRef.ts'
import * as schemas from '../../codec/schemas.ts'
import { RpcError } from '../../lib/errors.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { blockNumberOrTag, hash, index, named } from '../../rpc/params/params.ts'
import { type DevChain, rawEthereum } from '../index.ts'
import { findBlock, findPlace } from './trace/places.ts'

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

  function withHash(transaction: Hash, view: 'full' | 'solid'): Listed | undefined {
    const id = transaction.slice(2)
    const waiting = view === 'full' && ledger.pool().find((listed) => listed.transaction.id === id)
    if (waiting) return waiting
    const place = findPlace(chain, transaction, view)
    return place?.block.transactions[place.index]
  }

  function inBlock(ref: BlockRef, position: number, view: 'full' | 'solid'): Listed | undefined {
    return findBlock(chain, ref, view)?.transactions[position]
  }

  const byHash = defineMethod({
    params: [named('transactionHash', hash)],
    result,
    summary,
    handler: ({ chain: { view } }, [transaction]) => rawOf(withHash(transaction, view)),
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
