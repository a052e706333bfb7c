import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Address, Hash } from 'viem'
import { getContractAddress } from 'viem/utils'

import { toNativeAddress, toRpcAddress } from '../lib/address.ts'
import type { SentStore } from './sentStore.ts'

/** A contract that was created from here: where it is, and where an Ethereum library believes it to be. */
export type CreatedContract = { actual: Address; predicted: Address }

/**
 * Where a creation puts its contract. The chain derives the address from the transaction's id; Ethereum libraries derive
 * one from the sender and the nonce before they see a receipt.
 */
export function createdContract(id: Hash, from: Address, nonce: number): CreatedContract {
  const seed = Buffer.from(id.slice(2) + toNativeAddress(from), 'hex')
  const actual = Buffer.from(keccak_256(seed).subarray(12)).toString('hex')
  const predicted = getContractAddress({ from, nonce: BigInt(nonce) })
  return { actual: toRpcAddress(actual), predicted: predicted.toLowerCase() as Address }
}

/** What replicas know of contracts that were created through any of them. */
export type Contracts = {
  add(contract: CreatedContract): void
  /** The contract that a predicted address means; any other address is itself. */
  resolve(address: Address): Address
  /** Learns what other replicas have sent. */
  refresh(): Promise<void>
}

export function createContracts(store: Pick<SentStore, 'contracts'>): Contracts {
  const actualOf = new Map<Address, Address>()
  let cursor = 0

  function add({ actual, predicted }: CreatedContract) {
    actualOf.set(predicted, actual)
  }

  return {
    add,
    resolve: (address) => actualOf.get(address) ?? address,
    async refresh() {
      const { contracts, next } = await store.contracts(cursor)
      cursor = next
      for (const contract of contracts) add(contract)
    },
  }
}
