import type { Address, Hex } from 'viem'

import * as schemas from '../../../codec/schemas.ts'
import { MAX_INT64 } from '../../../lib/int64.ts'
import { isObject } from '../../../lib/isObject.ts'
import { blankable, CALL_MEMBERS, callData } from '../../params/callParam.ts'
import {
  address,
  amount,
  boolean,
  bytes,
  contractAddress,
  member,
  optional,
  type Param,
  quantity,
  show,
  text,
} from '../../params/params.ts'

/** The parameters of a native transaction. Ignores `gasPrice` and `nonce`. */
export type BuildRequest = {
  from: Address
  to?: Address
  data: Hex
  /** Energy. The fee limit is this times the current energy price. */
  gas: bigint
  /** Sun. */
  value: bigint
  /** Whether `value` was given. A zero counts as given. */
  hasValue: boolean
  tokenId: bigint
  tokenValue: bigint
  /** JSON text of a list. */
  abi: string
  consumeUserResourcePercent: bigint
  originEnergyLimit: bigint
  name: string
  permissionId: number
  /** Memo, hex; text when `visible`. */
  extraData: string
  visible: boolean
}

/** A request that names the account or contract that gets the transaction. */
export type AddressedRequest = BuildRequest & { to: Address }

/** The one object that `buildTransaction` takes. */
export const buildRequest: Param<BuildRequest> = (input, scope) => {
  if (!isObject(input)) throw new Error(`expected a transaction object, got ${show(input)}`)
  const visible = member(input, 'visible', optional(boolean, false))
  const to = member(input, 'to', blankable(contractAddress), scope)
  const value = member(input, 'value', blankable(sun), scope)
  return {
    from: member(input, 'from', address),
    ...(to && { to }),
    data: callData(input),
    gas: member(input, 'gas', blankable(int64)) ?? 0n,
    value: value ?? 0n,
    hasValue: value !== undefined,
    tokenId: member(input, 'tokenId', integer),
    tokenValue: member(input, 'tokenValue', integer),
    abi: member(input, 'abi', abi),
    consumeUserResourcePercent: member(input, 'consumeUserResourcePercent', integer),
    originEnergyLimit: member(input, 'originEnergyLimit', integer),
    name: member(input, 'name', optional(text, '')),
    permissionId: Number(member(input, 'permissionId', integer)),
    extraData: member(input, 'extraData', optional(visible ? text : bytes, '')).replace(/^0x/, ''),
    visible,
  }
}
buildRequest.doc = {
  name: 'request',
  schema: {
    title: 'native transaction to build',
    type: 'object',
    required: ['from'],
    properties: {
      ...CALL_MEMBERS,
      gas: schemas.quantity,
      tokenId: schemas.quantity,
      tokenValue: schemas.quantity,
      visible: schemas.boolean,
    },
  },
}

/** A quantity that the chain can hold. */
const int64: Param<bigint> = (input) => bounded(quantity(input))

/** An amount of the coin that the chain can hold. */
const sun: Param<bigint> = (input, scope) => bounded(amount(input, scope))

function bounded(value: bigint): bigint {
  if (value <= MAX_INT64) return value
  throw new Error(`expected less than 2^63, got ${value}`)
}

/** An integer as JSON number, decimal text or hex quantity. Absent means zero. */
const integer: Param<bigint> = (input) => {
  if (typeof input === 'string' && /^\d{1,19}$/.test(input)) return bounded(BigInt(input))
  return optional(int64, 0n)(input)
}

/** The ABI of a contract: JSON text of a list, or the list itself. */
const abi: Param<string> = (input) => {
  if (input === undefined || input === null || input === '') return '[]'
  const list = typeof input === 'string' ? parse(input) : input
  if (Array.isArray(list)) return JSON.stringify(list)
  throw new Error('invalid abi: expected the JSON text of a list')
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
