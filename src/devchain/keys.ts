import { sha256 } from '@noble/hashes/sha2.js'
import { mnemonicToAccount } from 'viem/accounts'

import { addressFromKey } from '../native/protobuf/signature.ts'

/** The words that development tools share. The keys are known to everybody: never use them on a public network. */
export const MNEMONIC = 'test test test test test test test test test test test junk'

export type DevAccount = {
  /** 42 hex characters. */
  address: string
  /** 32 bytes of hex without `0x`. */
  key: string
}

type Parent = ReturnType<ReturnType<typeof mnemonicToAccount>['getHdKey']>

/** Where the accounts are derived: an index follows. As of Ethereum wallets. */
const DERIVATION_PATH = "m/44'/60'/0'/0"

/** Keys by path and words: stretching the words into a seed is slow. */
const parents = new Map<string, Parent>()

/**
 * The first accounts of some words, by the derivation of Ethereum wallets.
 *
 * @throws Error when the words are not a mnemonic, or the path is none.
 */
export function devAccounts(
  count: number,
  words = MNEMONIC,
  path: string = DERIVATION_PATH,
): DevAccount[] {
  const trimmed = path.replace(/\/+$/, '') as typeof DERIVATION_PATH
  if (!/^m(\/\d+'?)*$/.test(trimmed))
    throw new Error(`expected a derivation path such as ${DERIVATION_PATH}, got "${path}"`)
  const name = `${trimmed} ${words}`
  const parent = parents.get(name) ?? mnemonicToAccount(words, { path: trimmed }).getHdKey()
  parents.set(name, parent)
  return Array.from({ length: count }, (_, index) => {
    const { privateKey } = parent.deriveChild(index)
    const key = Buffer.from(privateKey as Uint8Array).toString('hex')
    return { address: addressFromKey(key), key }
  })
}

/** Keys of block producers, derived from a seed. */
export function producerKeys(seed: string, count: number): DevAccount[] {
  return Array.from({ length: count }, (_, index) => {
    const key = Buffer.from(sha256(Buffer.from(`ethgate producer ${seed} ${index}`))).toString(
      'hex',
    )
    return { address: addressFromKey(key), key }
  })
}
