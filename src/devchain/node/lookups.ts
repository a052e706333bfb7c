import type { Address, Hash } from 'viem'

import * as schemas from '../../codec/schemas.ts'
import { toNativeAddress } from '../../lib/address.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { eth_accounts } from '../../rpc/methods/eth_accounts.ts'
import { eth_getTransactionByHash } from '../../rpc/methods/eth_getTransactionByHash.ts'
import { net_version } from '../../rpc/methods/net_version.ts'
import { address, named, quantity } from '../../rpc/params/params.ts'
import type { DevChain } from '../index.ts'

/** Methods of anvil, Hardhat and Otterscan that only read. */
export function lookupMethods(chain: DevChain): Record<string, AnyMethod> {
  const { ledger } = chain
  const first = ledger.fork?.block.header.number ?? 0

  const eth_getTransactionBySenderAndNonce = defineMethod({
    params: [address, named('nonce', quantity)],
    result: schemas.nullable(schemas.transaction),
    summary: 'Ethereum transaction of an account with a nonce, mined or pending',
    handler(context, [who, nonce], call) {
      const hash = hashOf(who, nonce)
      return hash ? eth_getTransactionByHash.handler(context, [hash], call) : null
    },
  })

  function hashOf(who: Address, nonce: bigint): Hash | undefined {
    const from = toNativeAddress(who)
    const waiting = ledger
      .pool()
      .find(({ transaction: { ethereum } }) => ethereum?.from === from && ethereum.nonce === nonce)
    return waiting ? `0x${waiting.transaction.id}` : minedHashOf(from, nonce)
  }

  function minedHashOf(from: string, nonce: bigint): Hash | undefined {
    for (const block of ledger.stored(ledger.head().header.number, first + 1, -1)) {
      const found = block.transactions.find(
        ({ transaction: { ethereum } }) => ethereum?.from === from && ethereum.nonce === nonce,
      )
      if (found) return `0x${found.transaction.id}`
    }
    return undefined
  }

  const ots_getTransactionBySenderAndNonce = defineMethod({
    params: [address, quantity],
    result: schemas.nullable(schemas.hash),
    summary: 'the Ethereum transaction of an account with a nonce; null when there is none',
    handler: (_, [who, nonce]) => minedHashOf(toNativeAddress(who), nonce) ?? null,
  })

  const anvil_getGenesisTime = defineMethod({
    params: [],
    result: { type: 'integer' },
    summary: 'time of the first block, seconds',
    handler: () => Math.floor((ledger.block(first)?.header.timestamp ?? 0) / 1000),
  })

  return {
    anvil_getGenesisTime,
    eth_getTransactionBySenderAndNonce,
    eth_networkId: net_version,
    eth_requestAccounts: eth_accounts,
    ots_getTransactionBySenderAndNonce,
  }
}
