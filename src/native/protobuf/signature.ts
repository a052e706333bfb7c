import { Buffer } from 'buffer'

import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'

import type { HexAddress } from '../../lib/address.ts'
import type { Hex } from '../wire/types.ts'
import { bytesOfHex } from './message.ts'
import { type EncodableTransaction, rawDataBytes, transactionId } from './transaction.ts'

/** A private key: 32 bytes of hex, with or without `0x`. */
export type PrivateKey = string

/**
 * The account of a private key: `41` and the last 20 bytes of the keccak-256 of its public key.
 *
 * @throws TypeError when the key is not a secp256k1 private key. The message does not contain the key.
 */
export function addressFromKey(key: PrivateKey): HexAddress {
  return addressFromPublicKey(secp256k1.getPublicKey(keyBytes(key), false))
}

/** The signature of a transaction id: r ‖ s ‖ v, 65 bytes of hex, v 0 or 1. */
export function signHash(hash: Hex, key: PrivateKey): Hex {
  const bytes = secp256k1.sign(bytesOfHex(hash, 'hash'), keyBytes(key), {
    prehash: false,
    format: 'recovered',
  })
  // In the library's format the recovery bit is first. In the chain's format it is last.
  return Buffer.concat([bytes.subarray(1), bytes.subarray(0, 1)]).toString('hex')
}

/**
 * The account that signed a transaction id, `41…`.
 *
 * @throws TypeError when the signature is not valid on this curve, or is not hex
 */
export function recoverHash(hash: Hex, signature: Hex): HexAddress {
  const bytes = bytesOfHex(signature, 'signature')
  const signed = bytesOfHex(hash, 'hash')
  // Some signatures in old blocks are longer. A node reads the first 65 bytes.
  if (bytes.length < 65 || bytes.length > 68)
    throw new TypeError(`a signature has 65 bytes, this one has ${bytes.length}`)
  const v = bytes[64] ?? 0
  const recovery = v >= 27 ? v - 27 : v
  try {
    const key = secp256k1.Signature.fromBytes(bytes.subarray(0, 64))
      .addRecoveryBit(recovery)
      .recoverPublicKey(signed)
    return addressFromPublicKey(key.toBytes(false))
  } catch (cause) {
    throw new TypeError('no account can be recovered from the signature', { cause })
  }
}

/**
 * Adds a signature to a transaction: once for an ordinary account, once for each key of a multi-signature permission.
 * It signs the SHA-256 of `raw_data_hex`, or of the encoded `raw_data`.
 *
 * @param sign - the signature of a transaction id with the key. @default `signHash`
 */
export function signTransaction<transaction extends EncodableTransaction>(
  transaction: transaction,
  key: PrivateKey,
  sign = signHash,
): transaction & { txID: Hex; raw_data_hex: Hex; signature: Hex[] } {
  const raw = rawDataBytes(transaction)
  const txID = transactionId(raw)
  return {
    ...transaction,
    txID,
    raw_data_hex: raw.toString('hex'),
    signature: [...(transaction.signature ?? []), sign(txID, key)],
  }
}

/** The accounts that signed a transaction, in the order of its signatures. @throws TypeError for a malformed signature */
export function recoverSigners(transaction: EncodableTransaction): HexAddress[] {
  const txID = transactionId(rawDataBytes(transaction))
  return (transaction.signature ?? []).map((signature) => recoverHash(txID, signature))
}

function addressFromPublicKey(key: Uint8Array): HexAddress {
  return `41${Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex')}`
}

function keyBytes(key: PrivateKey): Uint8Array {
  const digits = key.replace(/^0x/i, '')
  const bytes = Buffer.from(digits, 'hex')
  // Buffer stops at the first character that is not a digit.
  if (digits.length !== 64 || !secp256k1.utils.isValidSecretKey(bytes))
    throw new TypeError('not a private key')
  return bytes
}
