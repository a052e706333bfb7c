import { constants } from 'node:buffer'
import { gunzipSync, gzipSync } from 'node:zlib'

import { isObject } from '../../lib/isObject.ts'
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

/** Accounts, code, storage and tokens of a state as compressed JSON. */
export function packState(entries: Iterable<readonly [name: string, value: unknown]>): Uint8Array {
  const kept = [...entries].filter(([name]) => isAccountState(name))
  return gzipSync(JSON.stringify({ ethgate: 1, state: kept }, writeValue))
}

/** Reads the result of `packState`. @throws Error when the bytes are anything else */
export function unpackState(dump: Uint8Array): [name: string, value: unknown][] {
  const { ethgate, state } = parse(dump)
  if (ethgate !== 1 || !Array.isArray(state) || !state.every(isEntry))
    throw new Error('this is not a state of an ethgate development chain')
  return state.filter(([name]) => isAccountState(name))
}

function parse(dump: Uint8Array): { ethgate?: unknown; state?: unknown } {
  try {
    // Node.js has no longer texts, and a small dump can be unpacked to any size.
    const text = gunzipSync(dump, { maxOutputLength: constants.MAX_STRING_LENGTH }).toString()
    const value: unknown = JSON.parse(text, readValue)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Whether a value is an entry of a state. A value of another type would make later calls fail. */
function isEntry(entry: unknown): entry is [name: string, value: unknown] {
  if (!Array.isArray(entry) || entry.length !== 2) return false
  const [name, value] = entry as [unknown, unknown]
  if (typeof name !== 'string') return false
  const isValue = TABLES.get(tableOf(name))
  return value === undefined || !isValue || isValue(value)
}

const tableOf = (name: string) => name.slice(0, name.indexOf(':'))

const isAccountState = (name: string) =>
  tableOf(name) === 'property' ? name.startsWith('property:generation:') : TABLES.has(tableOf(name))
