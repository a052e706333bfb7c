import type { Address, Hex } from 'viem'

import * as schemas from '../../codec/schemas.ts'
import { ZERO_ADDRESS } from '../../lib/address.ts'
import { isObject } from '../../lib/isObject.ts'
import {
  address,
  amount,
  bytes,
  contractAddress,
  maybe,
  member,
  type Param,
  PLAIN,
  show,
} from './params.ts'

/** The call of `eth_call` and `eth_estimateGas`, without the members that have no meaning here (gas, nonce, type, …). */
export type CallRequest = {
  /** The zero address when the client gives none. */
  from: Address
  /** Absent for a contract creation. */
  to?: Address
  /** `0x` when there is none. */
  data: Hex
  /** Sun. */
  value: bigint
}

/** `0x` and the empty string mean "none": some clients cannot send `null`. */
export const blankable =
  <value>(param: Param<value>): Param<value | undefined> =>
  (input, scope) =>
    input === '0x' || input === '' ? undefined : maybe(param)(input, scope)

/** A call object. `data` and `input` mean the same. Both may be present when they are equal. */
export const callRequest: Param<CallRequest> = (input, scope = PLAIN) => {
  if (!isObject(input)) throw new Error(`expected a call object, got ${show(input)}`)
  if (hasMember(input, 'authorizationList'))
    throw new Error('authorizationList: accounts of this chain cannot have delegated code')
  refuseBlobs(input)
  const to = member(input, 'to', blankable(contractAddress), scope)
  const data = callData(input)
  return {
    from: member(input, 'from', blankable(address)) ?? ZERO_ADDRESS,
    ...(to && { to }),
    data: scope.inData(data),
    value: member(input, 'value', blankable(amount), scope) ?? 0n,
  }
}
callRequest.doc = {
  name: 'call',
  schema: {
    title: 'call',
    type: 'object',
    properties: {
      from: schemas.address,
      to: schemas.nullable(schemas.address),
      data: schemas.bytes,
      input: schemas.bytes,
      value: schemas.amount,
    },
  },
}

/** Whether an object has one of the members. An empty list is none. */
export function hasMember(object: Record<string, unknown>, ...names: string[]): boolean {
  return names.some((name) => {
    const value = object[name]
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null
  })
}

/** Refuses blobs, which contracts can see: without them, a call or transaction would mean less than its sender thinks. */
export function refuseBlobs(object: Record<string, unknown>): void {
  if (hasMember(object, 'blobs', 'blobVersionedHashes', 'maxFeePerBlobGas'))
    throw new Error('transaction type not supported: blobs do not exist on this chain')
}

/** The payload of a call or transaction object, from `input` or `data`. */
export function callData(object: Record<string, unknown>): Hex {
  const data = member(object, 'data', maybe(bytes))
  const input = member(object, 'input', maybe(bytes))
  if (data !== undefined && input !== undefined && data !== input)
    throw new Error('expected data and input to be equal when both are given')
  return input ?? data ?? '0x'
}
