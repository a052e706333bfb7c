import { createECDH, createHash, createHmac, pbkdf2Sync } from 'node:crypto'

import { accountOfKey } from '../../lib/accountOfKey.ts'

/** The mnemonic that development tools share. Everybody knows its keys: never use them on a public network. */
export const MNEMONIC = 'test test test test test test test test test test test junk'

/** A funded account with its private key. */
export type DevAccount = {
  /** 42 hex characters. */
  address: string
  /** 32 bytes of hex without `0x`. */
  key: string
}

/** A private key with the chain code from which its children are derived. */
type Node = { key: Buffer; chainCode: Buffer }

/** The derivation path of Ethereum wallets, without the index. */
export const DERIVATION_PATH = "m/44'/60'/0'/0"

/** Derived keys by path and mnemonic, because computing the seed of a mnemonic is slow. */
const parents = new Map<string, Node>()

/**
 * The first accounts of a mnemonic, derived as in Ethereum wallets.
 *
 * @throws Error when the mnemonic or the path is invalid.
 */
export function devAccounts(
  count: number,
  words = MNEMONIC,
  path: string = DERIVATION_PATH,
): DevAccount[] {
  assertDerivationPath(path)
  const trimmed = path.replace(/\/+$/, '')
  const name = `${trimmed} ${words}`
  const parent = parents.get(name) ?? nodeAt(words, trimmed)
  parents.set(name, parent)
  return Array.from({ length: count }, (_, index) => {
    const key = childOf(parent, index).key.toString('hex')
    return { address: accountOfKey(key), key }
  })
}

/** @throws Error when a path is no derivation path. */
export function assertDerivationPath(path: string): void {
  if (!/^m(\/\d+'?)*\/*$/.test(path))
    throw new Error(`expected a derivation path such as ${DERIVATION_PATH}, got "${path}"`)
}

/** Valid numbers of words of a mnemonic. */
const LENGTHS = [12, 15, 18, 21, 24]

/** The order of the curve secp256k1. */
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n

/** The first hardened index (`'` in a path), whose keys are derived from the private key. */
const HARDENED = 0x8000_0000

/** Derives the key at a path (BIP-39, BIP-32). Node's crypto module takes a tenth of the time of a JavaScript library. */
function nodeAt(words: string, path: string): Node {
  const phrase = words.normalize('NFKD')
  if (!LENGTHS.includes(phrase.split(' ').length))
    throw new Error('the mnemonic must have 12, 15, 18, 21 or 24 words')
  const seed = pbkdf2Sync(phrase, 'mnemonic', 2048, 64, 'sha512')
  const steps = path.split('/').slice(1)
  return steps.reduce(
    (node, step) => childOf(node, Number.parseInt(step, 10) + (step.endsWith("'") ? HARDENED : 0)),
    split(createHmac('sha512', 'Bitcoin seed').update(seed).digest()),
  )
}

function childOf({ chainCode, key }: Node, index: number): Node {
  const hmac = createHmac('sha512', chainCode)
  if (index < HARDENED) hmac.update(publicKeyOf(key))
  else hmac.update(Buffer.concat([Buffer.alloc(1), key]))
  const place = Buffer.alloc(4)
  place.writeUInt32BE(index)
  const derived = split(hmac.update(place).digest())
  const sum = (toBigInt(derived.key) + toBigInt(key)) % ORDER
  return { ...derived, key: Buffer.from(sum.toString(16).padStart(64, '0'), 'hex') }
}

const split = (hash: Buffer): Node => ({ key: hash.subarray(0, 32), chainCode: hash.subarray(32) })

const toBigInt = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`)

function publicKeyOf(key: Buffer): Buffer {
  const curve = createECDH('secp256k1')
  curve.setPrivateKey(key)
  return curve.getPublicKey(null, 'compressed')
}

/** Keys of block producers, derived from a seed. */
export function producerKeys(seed: string, count: number): DevAccount[] {
  return Array.from({ length: count }, (_, index) => {
    const key = createHash('sha256').update(`ethgate producer ${seed} ${index}`).digest('hex')
    return { address: accountOfKey(key), key }
  })
}
