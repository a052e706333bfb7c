import { concatBytes, setLengthLeft, bigIntToBytes, unprefixedHexToBytes } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { getCreate2Address, getCreateAddress } from 'viem/utils'

/**
 * The rule for contract addresses: `native` derives them from the transaction's id, as on the real chain; `ethereum` from
 * sender and nonce, as Ethereum tools predict them.
 */
export type AddressRule = 'native' | 'ethereum'

const ofHash = (seed: Uint8Array) =>
  `41${Buffer.from(keccak_256(seed).subarray(12)).toString('hex')}`

const plain = (address: string) => `0x${address.slice(2)}` as const

/** The address of the contract that a transaction creates, by the native rule. */
export function createdByTransaction(transactionId: string, owner: string): string {
  return ofHash(unprefixedHexToBytes(transactionId + owner))
}

/** The address of the contract that an account or contract creates with a nonce, by the rule of Ethereum. */
export function createdWithNonce(creator: string, nonce: bigint): string {
  return `41${getCreateAddress({ from: plain(creator), nonce })
    .slice(2)
    .toLowerCase()}`
}

/** The address of the contract that CREATE makes, by the native rule. `count`: internal transactions so far. */
export function createdInside(transactionId: string, count: bigint): string {
  return ofHash(
    concatBytes(unprefixedHexToBytes(transactionId), setLengthLeft(bigIntToBytes(count), 8)),
  )
}

/** The address of the contract that CREATE2 makes. */
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
