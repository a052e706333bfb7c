import { isDeepStrictEqual } from 'node:util'

import { parseAddress } from '../lib/address.ts'
import type { ApiKey } from './caller.ts'
import { UnauthorizedError } from './refusal.ts'

/** The address that a raw transaction calls. Undefined when it calls none, or cannot be read. */
export type TargetOf = (raw: string) => string | undefined

/** Checks that a key may make a call. @throws UnauthorizedError */
export function requirePermission(
  { contracts, methods, name }: ApiKey,
  method: string,
  params: unknown,
  targetOf: TargetOf,
): void {
  if (methods && !methods.some((pattern) => matches(pattern, method)))
    throw new UnauthorizedError(`the API key ${name} may not call ${method}`)
  if (!contracts) return
  const named = contractsIn(method, Array.isArray(params) ? params : [], targetOf)
  if (named && (named.length === 0 || !named.every((address) => isListed(contracts, address))))
    throw new UnauthorizedError(`the API key ${name} may not use ${method} with this contract`)
}

/** Whether two entries of a key permit the same calls. */
export function permitSame(one: ApiKey | undefined, other: ApiKey | undefined): boolean {
  return (
    one === other ||
    (isDeepStrictEqual(one?.methods, other?.methods) &&
      isDeepStrictEqual(one?.contracts, other?.contracts))
  )
}

function matches(pattern: string, method: string): boolean {
  return pattern.endsWith('*') ? method.startsWith(pattern.slice(0, -1)) : pattern === method
}

function isListed(contracts: ReadonlySet<string>, address: unknown): boolean {
  const parsed = typeof address === 'string' ? parseAddress(address) : undefined
  return parsed !== undefined && contracts.has(parsed)
}

/** The contracts that a call names, an empty list for any contract; undefined for a method that uses none. */
function contractsIn(
  method: string,
  params: readonly unknown[],
  targetOf: TargetOf,
): unknown[] | undefined {
  const [first, second] = params
  // Other code or storage may make a listed contract do anything.
  if (CALLS.has(method) && changesContracts(overridesIn(method, params))) return []
  if (CALLS.has(method)) return [member(first, 'to')].filter((to) => to !== undefined)
  if (SEARCHES.has(method)) return listed(member(first, 'address'))
  if (PAGED.has(method)) return listed(member(member(first, 'filter'), 'address'))
  if (method === 'eth_subscribe' && first === 'logs') return listed(member(second, 'address'))
  if (method === 'eth_sendRawTransaction')
    return [typeof first === 'string' ? targetOf(first) : undefined]
  return ANY.has(method) ? [] : undefined
}

/** The state overrides of a call. */
function overridesIn(method: string, params: readonly unknown[]): unknown {
  if (method === 'debug_traceCall') return member(params[2], 'stateOverrides')
  return params[method === 'trace_call' ? 3 : 2]
}

/** Methods whose first parameter is a call or a transaction. */
const CALLS = new Set([
  'debug_traceCall',
  'eth_call',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_fillTransaction',
  'eth_sendTransaction',
  'eth_signTransaction',
  'ethgate_feeQuote',
  'trace_call',
])

/** Methods whose first parameter is a log filter. */
const SEARCHES = new Set(['eth_getLogs', 'eth_newFilter', 'ethgate_countLogs'])

/** Methods whose first parameter has a log filter as its member `filter`. */
const PAGED = new Set(['ethgate_getLogs', 'ethgate_openCursor'])

/** Methods that may run, send or sign anything. Signed typed data may permit others to take tokens. */
const ANY = new Set([
  'buildTransaction',
  'eth_sign',
  'eth_signTypedData_v4',
  'eth_simulateV1',
  'page',
  'personal_sign',
  'trace_callMany',
  'wallet',
])

/** Whether state overrides change more than balances and nonces. */
function changesContracts(overrides: unknown): boolean {
  return Object.values(overrides ?? {}).some((account: unknown) =>
    Object.keys(account ?? {}).some((name) => name !== 'balance' && name !== 'nonce'),
  )
}

function listed(value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

function member(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[name] ?? undefined
}
