import type { AccessList, Hex } from 'viem'

import { isObject } from '../../lib/isObject.ts'
import { address, arrayOf, hash, member, type Param, show } from './params.ts'

/** An account of an access list with its slots. */
const entry: Param<AccessList[number]> = (input) => {
  if (!isObject(input)) throw new Error(`expected an address with storageKeys, got ${show(input)}`)
  return {
    address: member(input, 'address', address).toLowerCase() as Hex,
    storageKeys: member(input, 'storageKeys', arrayOf(hash)),
  }
}

/** An access list (EIP-2930). */
export const accessList: Param<AccessList> = arrayOf(entry)
