import { concatBytes, setLengthLeft, bigIntToBytes, unprefixedHexToBytes } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { getCreate2Address, getCreateAddress } from 'viem/utils'

/**
 * How the addresses of contracts come about: `native` from the transaction's id, as the chain has it; `ethereum` from
 * sender and nonce, as Ethereum tools predict it.
 */
export type AddressRule = 'native' | 'ethereum'

const ofHash = (seed: Uint8Array) =>
  `41${Buffer.from(keccak_256(seed).subarray(12)).toString('hex')}`

const plain = (address: string) => `0x${address.slice(2)}` as const

/** The contract that a transaction creates, by the native rule. */
export function createdByTransaction(transactionId: string, owner: string): string {
  return ofHash(unprefixedHexToBytes(transactionId + owner))
}

/** The contract that an account or a contract creates with a nonce, by the rule of Ethereum. */
export function createdWithNonce(creator: string, nonce: bigint): string {
  return `41${getCreateAddress({ from: plain(creator), nonce })
    .slice(2)
    .toLowerCase()}`
}

/** The contract that CREATE makes inside a transaction, by the native rule. `count`: internal transactions so far. */
export function createdInside(transactionId: string, count: bigint): string {
  return ofHash(
    concatBytes(unprefixedHexToBytes(transactionId), setLengthLeft(bigIntToBytes(count), 8)),
  )
}

/** The contract that CREATE2 makes. */
export function createdWithSalt(
  rule: AddressRule,
  creator: string,
  salt: Uint8Array,
  code: Uint8Array,
): string {
  if (rule === 'ethereum') {
    const address = getCreate2Address({ from: plain(creator), salt, bytecodeHash: hashOf(code) })
    return `41${address.slice(2).toLowerCase()}`
  }
  return ofHash(concatBytes(unprefixedHexToBytes(creator), salt, keccak_256(code)))
}

const hashOf = (code: Uint8Array) => `0x${Buffer.from(keccak_256(code)).toString('hex')}` as const
