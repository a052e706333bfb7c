import type { Hex } from 'viem'

import type { Call as PlainCall } from '../../chain/state/call.ts'
import { TIP_ABOVE_FEE } from '../../codec/intrinsicGas.ts'
import * as schemas from '../../codec/schemas.ts'
import { ZERO_ADDRESS } from '../../lib/address.ts'
import { InvalidParamsError } from '../../lib/errors.ts'
import { isObject } from '../../lib/isObject.ts'
import { accessList, authorizationList } from './callLists.ts'
import {
  address,
  amount,
  atMost,
  bytes,
  contractAddress,
  maybe,
  member,
  type Param,
  type ParamScope,
  PLAIN,
  present,
  price,
  quantity,
  show,
} from './params.ts'

/** A call, or a transaction that is not signed yet. Amounts are in the smallest unit of the chain. */
export type CallRequest = ReturnType<typeof callMembers>

/** `0x` and the empty string mean "none": some clients cannot send `null`. */
export const blankable =
  <value>(param: Param<value>): Param<value | undefined> =>
  (input, scope) =>
    input === '0x' || input === '' ? undefined : maybe(param)(input, scope)

/** A nonce. A chain counts up to the largest safe integer. */
export const nonce: Param<bigint> = atMost(Number.MAX_SAFE_INTEGER)

/** A call object. `data` and `input` mean the same. Both may be present when they are equal. */
export const callRequest: Param<CallRequest> = (input, scope = PLAIN) => {
  if (!isObject(input)) throw new Error(`expected a call object, got ${show(input)}`)
  return callMembers(input, scope)
}

/** Members that every call or transaction has in the OpenRPC document. */
export const CALL_MEMBERS = {
  from: schemas.address,
  to: schemas.nullable(schemas.address),
  value: schemas.amount,
  data: schemas.bytes,
}

callRequest.doc = {
  name: 'call',
  schema: {
    title: 'call',
    type: 'object',
    properties: { ...CALL_MEMBERS, input: schemas.bytes },
  },
}

/** The members of a call or transaction object. */
export function callMembers(input: Record<string, unknown>, scope: ParamScope) {
  const whole = (name: string) => member(input, name, blankable(quantity))
  const prices = (name: string) => member(input, name, blankable(price), scope)
  const request = {
    from: member(input, 'from', blankable(address)),
    // Absent for a contract creation.
    to: member(input, 'to', blankable(contractAddress), scope),
    gas: whole('gas') ?? whole('gasLimit'),
    gasPrice: prices('gasPrice'),
    maxFeePerGas: prices('maxFeePerGas'),
    maxPriorityFeePerGas: prices('maxPriorityFeePerGas'),
    nonce: member(input, 'nonce', blankable(nonce)),
    chainId: whole('chainId'),
    // What the client asks for. It decides if the request has no fee fields.
    type: whole('type'),
    accessList: member(input, 'accessList', maybe(accessList)),
    authorizationList: hasMember(input, 'authorizationList')
      ? member(input, 'authorizationList', authorizationList)
      : undefined,
  }
  refuseForeign(input, request.type)
  const { maxFeePerGas, maxPriorityFeePerGas = 0n } = request
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas > maxFeePerGas)
    throw new Error(TIP_ABOVE_FEE)
  return {
    ...present(request),
    data: scope.inData(callData(input)),
    value: member(input, 'value', blankable(amount), scope) ?? 0n,
  }
}

/** Geth's words for a transaction with an empty list of authorizations. */
export const EMPTY_LIST = 'EIP-7702 transaction with empty auth list'

/** Refuses the types of transactions that no chain here has. */
function refuseForeign(input: Record<string, unknown>, type: bigint | undefined): void {
  refuseBlobs(type === 3n ? { blobs: type } : input)
  if (type === 4n && !hasMember(input, 'authorizationList')) throw new Error(EMPTY_LIST)
}

/** @throws InvalidParamsError for delegated code, which a node does not have */
export function refuseDelegation({ authorizationList: list }: CallRequest): void {
  if (list)
    throw new InvalidParamsError(
      0,
      'authorizationList: accounts of this chain cannot have delegated code',
    )
}

/** A call as a node runs it: the other members have no meaning there. @throws InvalidParamsError for delegated code */
export function toPlainCall(request: CallRequest): PlainCall {
  refuseDelegation(request)
  const { data, from = ZERO_ADDRESS, to, value } = request
  return { from, ...(to && { to }), data, value }
}

/** Whether an object has one of the members. An empty list is none. */
export function hasMember(object: Record<string, unknown>, ...names: string[]): boolean {
  return names.some((name) => {
    const value = object[name]
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null
  })
}

/** Refuses blobs, which contracts can see: without them, a call or transaction would mean less than its sender thinks. */
function refuseBlobs(object: Record<string, unknown>): void {
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
