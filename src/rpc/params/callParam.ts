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

/** The call of `eth_call` and `eth_estimateGas`. Ignores the members without a meaning here (gas, nonce, type, …). */
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

/** The payload of a call or transaction object, from `input` or `data`. */
export function callData(object: Record<string, unknown>): Hex {
  const data = member(object, 'data', maybe(bytes))
  const input = member(object, 'input', maybe(bytes))
  if (data !== undefined && input !== undefined && data !== input)
    throw new Error('expected data and input to be equal when both are given')
  return input ?? data ?? '0x'
}
