import type { Address } from 'viem'

import { LAST_TIME } from '../../codec/block.ts'
import { isObject } from '../../lib/isObject.ts'
import { nonce } from './callParam.ts'
import {
  address,
  amount,
  atMost,
  bytes,
  maybe,
  member,
  objectOf,
  type Param,
  type ParamScope,
  PLAIN,
  type Present,
  objectParam,
  present,
  quantity,
  show,
} from './params.ts'

type Json = Record<string, unknown>

/** The block overrides by geth's names, each with the names that other nodes have for it. */
const BLOCK: Readonly<Record<string, readonly string[]>> = {
  number: ['blockNumber'],
  time: ['timestamp'],
  gasLimit: [],
  feeRecipient: ['coinbase'],
  baseFeePerGas: ['baseFee'],
  prevRandao: ['random'],
}

const BLOCK_NAMES = Object.entries(BLOCK).flat(2)

/** Slots of a contract with their values, 64 hex digits each. */
export type Slots = readonly (readonly [slot: string, value: string])[]

/** Changes of one account for a call, by geth's names. */
export type AccountOverride = ReturnType<typeof accountOverride>

/** Changes of accounts for a call. */
export type StateOverride = readonly (readonly [account: Address, change: AccountOverride])[]

/** The state overrides of a call; empty when there are none. */
export const stateOverride: Param<StateOverride> = (input, scope = PLAIN) => {
  if (input === undefined || input === null) return []
  if (!isObject(input)) throw new Error(`expected state overrides, got ${show(input)}`)
  return Object.keys(input).map((who) => [
    scope.contractAt(address(who)),
    member(input, who, accountOverride, scope),
  ])
}
stateOverride.doc = {
  name: 'stateOverrides',
  required: false,
  schema: { type: 'object' },
  description: 'by address: balance, nonce, code, state (all slots) or stateDiff (some slots)',
}

const slots: Param<Slots> = (input) => {
  if (!isObject(input)) throw new Error(`expected slots, got ${show(input)}`)
  return Object.entries(input).map(([slot, value]) => [word(slot), word(value)])
}

const accountMembers = objectParam('account', {
  balance: maybe(amount),
  nonce: maybe(nonce),
  code: maybe(bytes),
  // All slots: the others are empty.
  state: maybe(slots),
  // Some slots.
  stateDiff: maybe(slots),
})

function accountOverride(input: unknown, scope?: ParamScope) {
  const change = present(accountMembers(input, scope))
  if (!change.state || !change.stateDiff) return change
  throw new Error('expected state (all slots) or stateDiff (some slots), got both')
}

/** 32 bytes as hex digits, from a quantity or bytes of any length up to that. */
export const word: Param<string> = (input) => {
  const value = typeof input === 'number' ? quantity(input) : wordValue(input)
  return value.toString(16).padStart(64, '0')
}

function wordValue(input: unknown): bigint {
  if (typeof input === 'string' && /^0x[\da-f]{1,64}$/i.test(input)) return quantity(input)
  throw new Error(`expected at most 32 bytes of hex such as 0x1, got ${show(input)}`)
}

/** The block overrides of a call, with the names that other nodes have for them; empty when there are none. */
export const blockOverride: Param<BlockOverride> = (input) => {
  if (input === undefined || input === null) return {}
  if (!isObject(input)) throw new Error(`expected block overrides, got ${show(input)}`)
  return present(blockMembers(ownNames(input)))
}
blockOverride.doc = {
  name: 'blockOverrides',
  required: false,
  schema: { type: 'object' },
  description: 'number, time (seconds), gasLimit, feeRecipient, baseFeePerGas, prevRandao',
}

const height = atMost(Number.MAX_SAFE_INTEGER)

const blockMembers = objectParam('block', {
  number: maybe(height),
  // Seconds.
  time: maybe(atMost(LAST_TIME / 1_000)),
  gasLimit: maybe(quantity),
  feeRecipient: maybe(address),
  baseFeePerGas: maybe(quantity),
  prevRandao: maybe(word),
})

/** Values that contracts see of the block, by geth's names. */
export type BlockOverride = Present<ReturnType<typeof blockMembers>>

/**
 * The block overrides of a client by geth's names. An unknown one is an error: ignored, the answer would be wrong without an error.
 */
function ownNames(input: Json): Json {
  const given = objectOf(BLOCK_NAMES, input)
  const known: Json = {}
  for (const [name, others] of Object.entries(BLOCK)) {
    const [first, second] = [name, ...others].filter((one) => one in given)
    if (second !== undefined) throw new Error(`expected ${first} or ${second}, got both`)
    if (first !== undefined) known[name] = given[first]
  }
  return known
}

/** Refuses an option of a trace that is meant as overrides but has another name. Clients send other options without a meaning. */
export function requireOverrideNames(options: Json): void {
  const wrong = Object.keys(options).find(
    (name) => /override/i.test(name) && !['stateOverrides', 'blockOverrides'].includes(name),
  )
  if (wrong !== undefined)
    throw new Error(`unknown member ${show(wrong)}, expected only stateOverrides or blockOverrides`)
}
