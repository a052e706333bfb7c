import type { JSONRPCRequest } from 'json-rpc-2.0'

/** Why a value is not a request by the specification; undefined when it is one. */
export function faultOf(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return 'expected an object'
  const { id, jsonrpc, method, params } = entry as Record<string, unknown>
  if (jsonrpc !== '2.0') return 'expected "jsonrpc": "2.0"'
  if (typeof method !== 'string') return 'expected "method" to be a string'
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number')
    return 'expected "id" to be a string, a number or null'
  if (params !== undefined && typeof params !== 'object') return 'expected "params" to be an array'
  if ('result' in entry || 'error' in entry) return 'this is a response'
  return undefined
}

/** Whether an entry is a valid request without an id, which gets no answer. */
export function isNotification(entry: unknown): boolean {
  return faultOf(entry) === undefined && (entry as JSONRPCRequest).id === undefined
}

/**
 * The `id` of an entry as JSON text.
 *
 * @param raw - a numeric id exactly as written: `1.0` and integers above 2^53 must not change.
 */
export function idText(entry: unknown, raw: string | undefined): string {
  const id = (entry as { id?: unknown } | null)?.id
  if (typeof id === 'string') return JSON.stringify(id)
  return typeof id === 'number' && raw !== undefined ? raw : 'null'
}

/** Characters of an id that the log shows. */
const MAX_ID = 64

/** The `id` of an entry for the log; undefined when there is none or it is long. */
export function shownId(entry: unknown): number | string | undefined {
  const id = (entry as { id?: unknown } | null)?.id
  if (typeof id === 'number') return id
  return typeof id === 'string' && id.length <= MAX_ID ? id : undefined
}
