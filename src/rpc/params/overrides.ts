import { isObject } from '../../lib/isObject.ts'
import { objectOf, show } from './params.ts'

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

const ACCOUNT_NAMES = ['balance', 'nonce', 'code', 'state', 'stateDiff']

/**
 * The block overrides of a client by geth's names. An unknown one is an error: ignored, it would change the answer without a sign.
 */
export function blockMembers(input: unknown): Json {
  const given = membersOf(BLOCK_NAMES, input, 'block overrides')
  const known: Json = {}
  for (const [name, others] of Object.entries(BLOCK)) {
    const [first, second] = [name, ...others].filter((one) => one in given)
    if (second !== undefined) throw new Error(`expected ${first} or ${second}, got both`)
    if (first !== undefined) known[name] = given[first]
  }
  return known
}

/** The overrides of one account. An unknown one is an error. */
export function accountMembers(input: unknown): Json {
  return membersOf(ACCOUNT_NAMES, input, 'an object')
}

/** Refuses an option of a trace that is meant as overrides but has another name. Clients send other options without a meaning. */
export function requireOverrideNames(options: Json): void {
  const wrong = Object.keys(options).find(
    (name) => /override/i.test(name) && !['stateOverrides', 'blockOverrides'].includes(name),
  )
  if (wrong !== undefined)
    throw new Error(`unknown member ${show(wrong)}, expected only stateOverrides or blockOverrides`)
}

/** The members of an object that has only the given ones. Some clients send absent members as null. */
export function membersOf(names: readonly string[], input: unknown, what: string): Json {
  if (!isObject(input)) throw new Error(`expected ${what}, got ${show(input)}`)
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== null)
  return objectOf(names, Object.fromEntries(given))
}
