import type { Address } from 'viem'

import {
  hasWrongChecksum,
  isShortNativeAddress,
  parseAddress as parseAny,
  toBase58Address,
  toNativeAddress,
  withChecksum,
} from '../../lib/address.ts'
import { usageError } from '../base/errors.ts'

/** An address in its three formats. */
export type AddressForms = {
  /** `T…`, what wallets of this chain show. */
  base58: string
  /** `41…`, 42 hexadecimal characters: the native interface. */
  hex: string
  /** `0x…`, 20 bytes in lower case: JSON-RPC. */
  eth: Address
}

/** Reads an address in any format; undefined when it is not an address. The checksum of a base58 address must be right. */
export function tryAddress(text: string): AddressForms | undefined {
  const eth = parseAny(text)
  return eth && { base58: toBase58Address(eth), hex: toNativeAddress(eth), eth }
}

/** @throws CommandError (usage) that names the option or argument. */
export function parseAddress(text: string, where: string): AddressForms {
  if (isShortNativeAddress(text)) throw usageError(`${where}: "${text}" ${SHORT_NATIVE}`)
  const address = tryAddress(text)
  if (address && /^0x[0-9a-f]{40}$/i.test(text) && hasWrongChecksum(text))
    throw usageError(
      `${where}: the checksum in the letter case of ${text} is wrong (a typing error?); lower case has no checksum`,
    )
  if (address) return address
  const reason = /^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)
    ? ': its checksum is wrong (a typing error?)'
    : ''
  throw usageError(`${where}: "${text}" is not an address (T…, 41… or 0x…)${reason}`)
}

const SHORT_NATIVE =
  'has 40 digits: a native address (41…) has 42, and an Ethereum address begins with 0x'

/** An address in each format, with the checksum of Ethereum. */
export function addressFields({ base58, eth, hex }: AddressForms): [string, string][] {
  return [
    ['base58', base58],
    ['native hex', hex],
    ['ethereum', withChecksum(eth)],
  ]
}
