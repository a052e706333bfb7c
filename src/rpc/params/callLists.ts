import type { AccessList, Hex, SignedAuthorizationList } from 'viem'
import { numberToHex } from 'viem/utils'

import { isObject } from '../../lib/isObject.ts'
import { address, arrayOf, hash, index, member, type Param, quantity, show } from './params.ts'

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

/** A signed authorization (EIP-7702). */
const authorization: Param<SignedAuthorizationList[number]> = (input) => {
  if (!isObject(input)) throw new Error(`expected a signed authorization, got ${show(input)}`)
  const v = input['yParity'] === undefined ? Number(member(input, 'v', quantity)) : undefined
  return {
    address: member(input, 'address', address),
    chainId: member(input, 'chainId', index),
    nonce: member(input, 'nonce', index),
    r: numberToHex(member(input, 'r', quantity)),
    s: numberToHex(member(input, 's', quantity)),
    yParity: v === undefined ? member(input, 'yParity', index) : v >= 27 ? v - 27 : v,
  }
}

/** The authorizations of an EIP-7702 transaction. */
export const authorizationList: Param<SignedAuthorizationList> = arrayOf(authorization)
