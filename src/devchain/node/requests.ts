import type { AccessList, Address, Hex, SignedAuthorizationList } from 'viem'

import { toNativeAddress, ZERO_ADDRESS } from '../../lib/address.ts'
import { isObject } from '../../lib/isObject.ts'
import { blankable, callData, hasMember, refuseBlobs } from '../../rpc/params/callParam.ts'
import { accountMembers, blockMembers } from '../../rpc/params/overrides.ts'
import {
  address,
  amount as coinAmount,
  bytes,
  maybe,
  member,
  type Param,
  type ParamScope,
  price,
  quantity,
  show,
} from '../../rpc/params/params.ts'
import {
  type AccountChange,
  type EthereumCall,
  LAST_TIME,
  readAuthorizations,
  TIP_ABOVE_FEE,
} from '../index.ts'
import { accessList } from './accessList.ts'
import { authorizationList } from './authorizationList.ts'

/** A transaction object. Missing fields are filled in later. Amounts are in the smallest unit of the chain. */
export type SendRequest = {
  /** 42 hex characters. @default the first account of the chain */
  from?: string
  to?: Address
  value: bigint
  data: Hex
  gas?: bigint
  gasPrice?: bigint
  maxFeePerGas?: bigint
  maxPriorityFeePerGas?: bigint
  nonce?: bigint
  chainId?: bigint
  accessList?: AccessList
  authorizationList?: SignedAuthorizationList
  /** The type that the client asks for. It decides if the request has no fee fields. */
  type?: bigint
}

/** A quantity that the chain keeps as a number. */
const atMost = (most: number): Param<bigint> => {
  return (input) => {
    const value = quantity(input)
    if (value <= BigInt(most)) return value
    throw new Error(`expected at most ${most}, got ${value}`)
  }
}

/** A nonce. The chain counts up to the largest safe integer. */
export const nonce: Param<bigint> = atMost(Number.MAX_SAFE_INTEGER)

const height: Param<bigint> = atMost(Number.MAX_SAFE_INTEGER)

const seconds: Param<bigint> = atMost(LAST_TIME / 1_000)

/** An amount of gas, at most the limit. */
function lowest(gas: bigint | undefined, limit: bigint | undefined): bigint | undefined {
  return gas !== undefined && limit !== undefined && gas > limit ? limit : gas
}

/** The fields of a transaction object other than `from`. */
function transactionObject(input: unknown, scope: ParamScope | undefined) {
  if (!isObject(input)) throw new Error(`expected a transaction object, got ${show(input)}`)
  const whole = (name: string) => member(input, name, blankable(quantity))
  const prices = (name: string) => member(input, name, blankable(price), scope)
  const to = member(input, 'to', blankable(address))
  const entries = {
    to,
    gas: lowest(whole('gas') ?? whole('gasLimit'), scope?.mostGas),
    gasPrice: prices('gasPrice'),
    maxFeePerGas: prices('maxFeePerGas'),
    maxPriorityFeePerGas: prices('maxPriorityFeePerGas'),
    nonce: member(input, 'nonce', blankable(nonce)),
    chainId: whole('chainId'),
    type: whole('type'),
    accessList: member(input, 'accessList', maybe(accessList)),
    authorizationList: member(input, 'authorizationList', maybe(authorizationList)),
  }
  refuseForeign(input, entries.type)
  const { maxFeePerGas, maxPriorityFeePerGas = 0n } = entries
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas > maxFeePerGas)
    throw new Error(TIP_ABOVE_FEE)
  const value = member(input, 'value', blankable(coinAmount), scope) ?? 0n
  return { value, data: callData(input), ...present(entries) }
}

/** Refuses the types of transactions that the chain does not have. */
function refuseForeign(input: Record<string, unknown>, type: bigint | undefined): void {
  refuseBlobs(type === 3n ? { blobs: type } : input)
  if (type === 4n && !hasMember(input, 'authorizationList'))
    throw new Error('EIP-7702 transaction with empty auth list')
}

type Present<values> = { [name in keyof values]?: Exclude<values[name], undefined> }

function present<values extends object>(values: values): Present<values> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Present<values>
}

/** Parameter of `eth_sendTransaction` and similar methods. */
export const sendRequest: Param<SendRequest> = (input, scope) => {
  const request = transactionObject(input, scope)
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  if (gasPrice !== undefined && (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined)
    throw new Error('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  if (request.authorizationList) {
    if (!request.to) throw new Error('EIP-7702 transaction cannot be used to create contract')
    if (gasPrice !== undefined)
      throw new Error('expected maxFeePerGas with authorizationList, got gasPrice')
  }
  const from = member(input as Record<string, unknown>, 'from', blankable(address))
  return { ...request, ...(from && { from: toNativeAddress(from) }) }
}

/** Parameter of `eth_call` and `eth_estimateGas`. */
export const callRequest: Param<EthereumCall> = (input, scope) => {
  const request = transactionObject(input, scope)
  const { accessList: listed, authorizationList: list, chainId, data } = request
  const { gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas: tip, to, value } = request
  const maxPrice = gasPrice ?? maxFeePerGas
  const from = member(input as Record<string, unknown>, 'from', blankable(address))
  return {
    from: toNativeAddress(from ?? ZERO_ADDRESS),
    ...(from === undefined && { isFunded: true }),
    ...(to && { to: toNativeAddress(to) }),
    value,
    data: data.slice(2),
    ...(gas !== undefined && { gas }),
    ...(gasPrice !== undefined && { gasPrice }),
    ...(maxPrice !== undefined && { maxPrice }),
    ...(tip !== undefined && { tip }),
    ...(request.nonce !== undefined && { nonce: request.nonce }),
    ...(listed && { accessList: listed }),
    ...(chainId !== undefined && { chainId }),
    ...(list && { authorizations: readAuthorizations(list) }),
  }
}

/** Changes of accounts. Addresses are 42 hex characters. */
export type StateOverride = readonly (readonly [address: string, change: AccountChange])[]

/** The state overrides of a call. */
export const stateOverride: Param<StateOverride> = (input, scope) => {
  if (input === undefined || input === null) return []
  if (!isObject(input)) throw new Error(`expected state overrides, got ${show(input)}`)
  return Object.entries(input).map(([who, change]) => [
    toNativeAddress(address(who)),
    member(input, who, () => accountChange(change, scope)),
  ])
}

function accountChange(input: unknown, scope: ParamScope | undefined): AccountChange {
  const given = accountMembers(input)
  if (given['state'] && given['stateDiff'])
    throw new Error('expected state (all slots) or stateDiff (some slots), got both')
  const code = member(given, 'code', maybe(bytes))
  return present({
    balance: member(given, 'balance', maybe(coinAmount), scope),
    nonce: member(given, 'nonce', maybe(nonce)),
    code: code?.slice(2),
    storage: member(given, 'state', maybe(slots)),
    slots: member(given, 'stateDiff', maybe(slots)),
  })
}

const slots: Param<[slot: string, value: string][]> = (input) => {
  if (!isObject(input)) throw new Error(`expected slots, got ${show(input)}`)
  return Object.entries(input).map(([slot, value]) => [word(slot), word(value)])
}

/** 32 bytes of hex without `0x`, from a quantity or bytes of any length up to that. */
export const word: Param<string> = (input) => {
  const value = typeof input === 'number' ? quantity(input) : wordValue(input)
  return value.toString(16).padStart(64, '0')
}

function wordValue(input: unknown): bigint {
  if (typeof input === 'string' && /^0x[\da-f]{1,64}$/i.test(input)) return quantity(input)
  throw new Error(`expected at most 32 bytes of hex such as 0x1, got ${show(input)}`)
}

/** The block overrides of a call. */
export type BlockOverride = {
  number?: bigint
  /** Seconds. */
  time?: bigint
  gasLimit?: bigint
  feeRecipient?: Address
  baseFee?: bigint
  /** 32 bytes of hex. */
  prevRandao?: string
}

/** Parameter with block overrides. */
export const blockOverride: Param<BlockOverride> = (input) => {
  if (input === undefined || input === null) return {}
  const given = blockMembers(input)
  return present({
    number: member(given, 'number', maybe(height)),
    time: member(given, 'time', maybe(seconds)),
    gasLimit: member(given, 'gasLimit', maybe(quantity)),
    feeRecipient: member(given, 'feeRecipient', maybe(address)),
    baseFee: member(given, 'baseFeePerGas', maybe(quantity)),
    prevRandao: member(given, 'prevRandao', maybe(word)),
  })
}

/** Maximum number of blocks that one call stores or returns, because other calls wait for it. */
export const MAX_MINED_BLOCKS = 100_000n

/** An integer below 2^256: a JSON number, a hex quantity, or decimal text, which tools send for seconds and coins. */
export const amount: Param<bigint> = (input) =>
  typeof input === 'string' && /^\d{1,78}$/.test(input) ? word256(BigInt(input)) : quantity(input)

function word256(value: bigint): bigint {
  if (value < 2n ** 256n) return value
  throw new Error(`expected less than 2^256, got ${value}`)
}
