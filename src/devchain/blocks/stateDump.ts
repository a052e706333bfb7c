import { gunzipSync, gzipSync } from 'node:zlib'

import { readValue, writeValue } from './stateFile.ts'

/** Tables with the accounts of a chain. The others belong to its blocks and producers. */
const TABLES = ['account', 'code', 'contract', 'nonce', 'storage', 'asset']

/** Accounts, code, storage and tokens of a state as compressed JSON. */
export function packState(entries: Iterable<readonly [name: string, value: unknown]>): Uint8Array {
  const kept = [...entries].filter(([name]) => isAccountState(name))
  return gzipSync(JSON.stringify({ ethgate: 1, state: kept }, writeValue))
}

/** Reads the result of `packState`. @throws Error when the bytes are anything else */
export function unpackState(dump: Uint8Array): [name: string, value: unknown][] {
  const { ethgate, state } = parse(dump)
  if (ethgate !== 1 || !Array.isArray(state))
    throw new Error('this is not a state of an ethgate development chain')
  return (state as [string, unknown][]).filter(([name]) => isAccountState(name))
}

function parse(dump: Uint8Array): { ethgate?: unknown; state?: unknown } {
  try {
    return JSON.parse(gunzipSync(dump).toString(), readValue) as { ethgate?: unknown }
  } catch {
    return {}
  }
}

const isAccountState = (name: string) =>
  TABLES.includes(name.slice(0, name.indexOf(':'))) || name.startsWith('property:generation:')
