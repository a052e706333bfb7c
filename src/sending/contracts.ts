import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Address, Hash, Hex } from 'viem'
import { getContractAddress } from 'viem/utils'

import { RpcError } from '../errors.ts'
import { toNativeAddress, toRpcAddress } from '../lib/address.ts'
import type { CreatedContract, SentStore } from './sentStore.ts'

/**
 * The address of a created contract. The chain derives it from the transaction's id; Ethereum libraries derive
 * one from the sender and the nonce before they see a receipt.
 */
export function createdContract(id: Hash, from: Address, nonce: number): CreatedContract {
  const seed = Buffer.from(id.slice(2) + toNativeAddress(from), 'hex')
  const actual = Buffer.from(keccak_256(seed).subarray(12)).toString('hex')
  const predicted = getContractAddress({ from, nonce: BigInt(nonce) })
  return { actual: toRpcAddress(actual), predicted: predicted.toLowerCase() as Address }
}

/**
 * What to do with a predicted address in data: refuse the data, or put the contract's own address in place of whole
 * words.
 */
export type PredictedAddresses = 'refuse' | 'rewrite'

/** Data with the contracts whose predicted addresses were replaced in it. */
export type ReplacedData = { data: Hex; replaced: CreatedContract[] }

/** The contracts that were created through any replica. */
export type Contracts = {
  add(contract: CreatedContract): void
  /** The contract behind a predicted address. Any other address is returned unchanged. */
  resolve(address: Address): Address
  /**
   * Call data, creation code or a topic without predicted addresses. The chain has no contract at a predicted address, so coins sent
   * there are lost and reads are empty.
   *
   * @throws PredictedAddressError naming both addresses, when one is in the data and may not be or cannot be replaced.
   */
  inData(data: Hex): ReplacedData
  /** Learns what other replicas have sent. */
  refresh(): Promise<void>
}

export function createContracts(
  store: Pick<SentStore, 'contracts'>,
  mode: PredictedAddresses = 'refuse',
): Contracts {
  const actualOf = new Map<Address, Address>()
  let cursor = 0

  function add({ actual, predicted }: CreatedContract) {
    if (actual !== predicted) actualOf.set(predicted, actual)
  }

  /** The first predicted address at a byte of the data, from a position in its hex on. */
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

/** Characters of an address, and of the zeros before it in a word. */
const ADDRESS = 40
const PADDING = '0'.repeat(24)

/** `-32000`: data holds an address that an Ethereum library predicted, where no contract is. */
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
