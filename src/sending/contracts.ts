import type { Address, Hash, Hex } from 'viem'
import { getContractAddress } from 'viem/utils'

import { contractAddress } from '../lib/address.ts'
import { RpcError } from '../lib/errors.ts'
import type { CreatedContract, SentStore } from './sentStore.ts'

/**
 * The two addresses of a created contract. The chain derives its address from the transaction's id. Ethereum libraries
 * predict one from the sender and the nonce before they read a receipt.
 */
export function createdContract(id: Hash, from: Address, nonce: number): CreatedContract {
  const predicted = getContractAddress({ from, nonce: BigInt(nonce) })
  return { actual: contractAddress(id, from), predicted: predicted.toLowerCase() as Address }
}

/**
 * What the gateway does with a predicted address in data: reject the data, or replace whole words by the contract
 * address.
 */
export type PredictedAddresses = 'refuse' | 'rewrite'

/** Data, and the contracts whose predicted addresses were replaced in it. */
export type ReplacedData = { data: Hex; replaced: CreatedContract[] }

/** The contracts that were created through the gateway or any of its replicas. */
export type Contracts = {
  add(contract: CreatedContract): void
  /** The contract behind a predicted address. Any other address is returned unchanged. */
  resolve(address: Address): Address
  /**
   * Call data, creation code or a topic without predicted addresses. The chain has no contract at a predicted address, so
   * coins sent there are lost and reads return nothing.
   *
   * @throws PredictedAddressError when the data contains a predicted address that may not or cannot be replaced.
   */
  inData(data: Hex): ReplacedData
  /** Reads the contracts that other replicas have created. */
  refresh(): Promise<void>
}

/** Creates the lookup of contracts. It reads those of other replicas from `store`. */
export function createContracts(
  store: Pick<SentStore, 'contracts'>,
  mode: PredictedAddresses = 'refuse',
): Contracts {
  const actualOf = new Map<Address, Address>()
  let cursor = 0

  function add({ actual, predicted }: CreatedContract) {
    if (actual !== predicted) actualOf.set(predicted, actual)
  }

  /** The first predicted address at a byte boundary of the data, from an offset in its hex on. */
  function findIn(
    data: string,
    from: number,
  ): { at: number; contract: CreatedContract } | undefined {
    for (let at = from; at + ADDRESS <= data.length; at += 2) {
      const predicted: Address = `0x${data.slice(at, at + ADDRESS)}`
      const actual = actualOf.get(predicted)
      if (actual) return { at, contract: { actual, predicted } }
    }
    return undefined
  }

  return {
    add,
    resolve: (address) => actualOf.get(address) ?? address,
    inData(data) {
      const replaced: CreatedContract[] = []
      if (actualOf.size === 0) return { data, replaced }
      let text = data.toLowerCase()
      for (let found = findIn(text, 2); found; found = findIn(text, found.at + ADDRESS)) {
        const { at, contract } = found
        const isWord = text.slice(Math.max(2, at - PADDING.length), at) === PADDING
        if (mode === 'refuse' || !isWord) throw new PredictedAddressError(contract, mode)
        text = text.slice(0, at) + contract.actual.slice(2) + text.slice(at + ADDRESS)
        replaced.push(contract)
      }
      return { data: text as Hex, replaced }
    },
    async refresh() {
      const { contracts, next } = await store.contracts(cursor)
      cursor = next
      for (const contract of contracts) add(contract)
    },
  }
}

/** Hex digits of an address, and of the zeros before it in a word. */
const ADDRESS = 40
const PADDING = '0'.repeat(24)

/** `-32000`: data contains a predicted address, at which the chain has no contract. */
export class PredictedAddressError extends RpcError {
  override name = 'PredictedAddressError'

  constructor({ actual, predicted }: CreatedContract, mode: PredictedAddresses) {
    super(
      -32000,
      `the data contains ${predicted}, which an Ethereum library predicted for the contract at ${actual}: nothing is at the predicted address. ` +
        `Take the contract’s address from its receipt${mode === 'refuse' ? ', or start the gateway with --predicted-addresses rewrite' : ' (only whole words are replaced)'}`,
      { data: { actual, predicted } },
    )
  }
}
