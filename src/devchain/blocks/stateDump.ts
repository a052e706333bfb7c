import { constants } from 'node:buffer'
import { gunzipSync, gzipSync } from 'node:zlib'

import { isObject } from '../../lib/isObject.ts'
import type { ChainChange } from './blockStore.ts'
import { readValue, writeValue } from './stateFile.ts'

/** Tables with the accounts of a chain, and what a value of each is. The others belong to its blocks and producers. */
const TABLES = new Map<string, (value: unknown) => boolean>(
  Object.entries({
    account: (value) => isObject(value) && typeof value['balance'] === 'bigint',
    asset: isObject,
    code: (value) => value instanceof Uint8Array,
    contract: isObject,
    nonce: (value) => typeof value === 'bigint',
    property: (value) => typeof value === 'bigint',
    storage: (value) => typeof value === 'string' && /^[\da-f]{1,64}$/.test(value),
  }),
)

/** A chain from its first block on, with the state after each block. */
export type DumpedChain = {
  /** Decimals of the coin. */
  decimals: number
  /** The chain id of blocks that say no other one. */
  chainId: number
  /** The addresses of its producers, in the order of their turns. */
  producers: string[]
  /** How many branches the chain has begun after it went back. */
  branches: number
  changes: ChainChange[]
}

/** A dumped chain, or the accounts alone, which releases up to 0.4.0 dumped. Values are by `table:key`. */
export type Dump = { chain?: DumpedChain; accounts: [name: string, value: unknown][] }

/** A chain as compressed JSON. */
export function packState(chain: DumpedChain): Uint8Array {
  return gzipSync(JSON.stringify({ ethgate: 2, ...chain }, writeValue))
}

/** Reads the result of `packState`. @throws Error when the bytes are anything else */
export function unpackState(dump: Uint8Array): Dump {
  const { ethgate, state, ...chain } = parse(dump)
  if (ethgate === 1 && isEntries(state)) return { accounts: state.filter(isOfAccount) }
  if (ethgate !== 2 || !isChain(chain)) throw notADump()
  const newest = new Map(chain.changes.flatMap(({ changes }) => changes))
  return { chain, accounts: [...newest].filter(isOfAccount) }
}

/** For bytes that are no dump. */
export const notADump = () => new Error('this is not a state of an ethgate development chain')

function parse(dump: Uint8Array): Record<string, unknown> {
  try {
    // Node.js has no longer texts, and a small dump can be unpacked to any size.
    const text = gunzipSync(dump, { maxOutputLength: constants.MAX_STRING_LENGTH }).toString()
    const value: unknown = JSON.parse(text, readValue)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Whether values are entries of a state. A value of another type would make later calls fail. */
const isEntries = (value: unknown): value is [name: string, value: unknown][] =>
  Array.isArray(value) && value.every(isEntry)

function isEntry(entry: unknown): boolean {
  if (!Array.isArray(entry) || entry.length !== 2) return false
  const [name, value] = entry as [unknown, unknown]
  if (typeof name !== 'string') return false
  const isValue = isOfAccount([name]) ? TABLES.get(tableOf(name)) : undefined
  return value === undefined || !isValue || isValue(value)
}

function isChain(chain: Record<string, unknown>): chain is DumpedChain {
  const { branches, chainId, changes, decimals, producers } = chain
  const isWhole = [branches, chainId, decimals].every((value) => Number.isSafeInteger(value))
  return (
    isWhole &&
    Array.isArray(producers) &&
    Array.isArray(changes) &&
    changes.length > 0 &&
    changes.every(isChange)
  )
}

function isChange(change: unknown): boolean {
  if (!isObject(change) || !isEntries(change['changes'])) return false
  const { block, kind, run } = change
  if (kind === 'patch') return true
  const isRun = isObject(run) && isObject(run['seen']) && typeof run['gasLimit'] === 'bigint'
  return isBlock(block) && (kind === 'block' || (kind === 'run' && isRun))
}

const isBlock = (block: unknown): boolean =>
  isObject(block) &&
  /^[\da-f]{64}$/.test(String(block['id'])) &&
  isObject(block['header']) &&
  ['number', 'timestamp'].every((name) =>
    Number.isSafeInteger((block['header'] as Record<string, unknown>)[name]),
  ) &&
  ['transactions', 'infos'].every((name) => Array.isArray(block[name]))

const tableOf = (name: string) => name.slice(0, name.indexOf(':'))

function isOfAccount([name]: readonly [name: string, ...unknown[]]): boolean {
  return tableOf(name) === 'property'
    ? name.startsWith('property:generation:')
    : TABLES.has(tableOf(name))
}
