import type { Address, Hash, Hex } from 'viem'
import { getContractAddress } from 'viem/utils'

import { contractAddress } from '../lib/address.ts'
import { RpcError } from '../lib/errors.ts'
import {
  type ContractRecord,
  type CreatedContract,
  MAX_CONTRACTS,
  type SentStore,
} from './sentStore.ts'

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
export type Contracts = ReturnType<typeof createContracts>

/** Creates the lookup of the contracts in `store`. */
export function createContracts(
  store: Pick<SentStore, 'contracts'>,
  mode: PredictedAddresses = 'refuse',
) {
  const actualOf = new Map<Address, Address>()
  /** 1 for each pair of bytes with which a predicted address begins: most places of long data need no more than this look. */
  const beginnings = new Uint8Array(0x1_0000)
  let cursor = 0

  function apply({ actual, predicted }: ContractRecord) {
    actualOf.delete(predicted)
    if (actual === undefined || actual === predicted) return
    actualOf.set(predicted, actual)
    beginnings[Number.parseInt(predicted.slice(2, 6), 16)] = 1
    for (const oldest of actualOf.keys()) {
      if (actualOf.size <= MAX_CONTRACTS) break
      actualOf.delete(oldest)
    }
  }

  return {
    /** The contract behind a predicted address. Any other address is returned unchanged. */
    resolve: (address: Address): Address => actualOf.get(address) ?? address,
    /**
     * Call data, creation code or a topic without predicted addresses. The chain has no contract at a predicted address, so
     * coins sent there are lost and reads return nothing.
     *
     * @throws RpcError `-32000` when the data contains a predicted address that may not or cannot be replaced.
     */
    inData(data: Hex): ReplacedData {
      if (actualOf.size === 0) return { data, replaced: [] }
      const text = data.toLowerCase()
      const bytes = Buffer.from(text.slice(2), 'hex')
      const replaced = new Map<Address, CreatedContract>()
      const parts: string[] = []
      let copied = 0
      for (let byte = 0, end = bytes.length - ADDRESS / 2; byte <= end; byte++) {
        if (beginnings[((bytes[byte] as number) << 8) | (bytes[byte + 1] as number)] === 0) continue
        const at = 2 + 2 * byte
        const predicted: Address = `0x${text.slice(at, at + ADDRESS)}`
        const actual = actualOf.get(predicted)
        if (!actual) continue
        const isWord = text.slice(Math.max(2, at - PADDING.length), at) === PADDING
        if (mode === 'refuse' || !isWord) throw predictedAddressError({ actual, predicted }, mode)
        parts.push(text.slice(copied, at), actual.slice(2))
        copied = at + ADDRESS
        byte += ADDRESS / 2 - 1
        replaced.set(predicted, { actual, predicted })
      }
      const rest = text.slice(copied)
      return { data: `${parts.join('')}${rest}` as Hex, replaced: [...replaced.values()] }
    },
    /** Reads from the store which contracts this process and other replicas have added and removed. */
    async refresh(): Promise<void> {
      const { contracts, next } = await store.contracts(cursor)
      cursor = next
      for (const contract of contracts) apply(contract)
    },
  }
}

/** Hex digits of an address, and of the zeros before it in a word. */
const ADDRESS = 40
const PADDING = '0'.repeat(24)

/** `-32000`: data contains a predicted address, at which the chain has no contract. */
export function predictedAddressError(
  { actual, predicted }: CreatedContract,
  mode: PredictedAddresses,
): RpcError {
  return new RpcError(
    -32000,
    `the data contains ${predicted}, which an Ethereum library predicted for the contract at ${actual}: nothing is at the predicted address. ` +
      `Take the contract’s address from its receipt${mode === 'refuse' ? ', or start the gateway with --predicted-addresses rewrite' : ' (only whole words are replaced)'}`,
    { data: { actual, predicted } },
  )
}
