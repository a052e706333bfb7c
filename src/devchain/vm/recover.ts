import { keccak_256 } from '@noble/hashes/sha3.js'
import { recover } from 'tiny-secp256k1'
import type { Hex } from 'viem'

/**
 * The address whose key signed a hash, with `0x`, in lower case. Every transaction needs it, so it uses WebAssembly, which
 * takes a tenth of the time of JavaScript.
 *
 * @throws Error when no account can be recovered.
 */
export function recoverSender(hash: Hex, { parity, r, s }: recoverSender.Signature): Hex {
  const signature = Buffer.from(word(r) + word(s), 'hex')
  if (signature.length !== 64 || (parity !== 0 && parity !== 1)) throw new Error('not a signature')
  const key = recover(Buffer.from(hash.slice(2), 'hex'), signature, parity, false)
  if (!key) throw new Error('no account signed this')
  return `0x${Buffer.from(keccak_256(key.subarray(1))).toString('hex', 12)}`
}

/** For contracts: the public key (64 bytes) that `v` 27 or 28 chooses. @throws Error when there is none */
export function recoverKey(hash: Uint8Array, v: bigint, r: Uint8Array, s: Uint8Array): Uint8Array {
  if (v !== 27n && v !== 28n) throw new Error('not a signature')
  const key = recover(hash, Buffer.concat([r, s]), v === 27n ? 0 : 1, false)
  if (!key) throw new Error('no account signed this')
  return key.slice(1)
}

export declare namespace recoverSender {
  type Signature = { r: Hex; s: Hex; /** 0 or 1. */ parity: number }
}

const word = (input: Hex) => input.slice(2).padStart(64, '0')
