import type { JSONRPCRequest, JSONRPCServerMiddleware } from 'json-rpc-2.0'

import type { Context } from '../context.ts'
import { ofRequest, type RequestScope, scopesOf } from '../request.ts'
import type { Answer } from './answer.ts'
import { faultOf, idText, shownId } from './entry.ts'

/**
 * One call from its beginning to its outcome: what middleware reads and writes. json-rpc-2.0 passes it on beside the request, as its
 * server parameter.
 */
export type RpcCall = ObservedCall & {
  /** Its id as JSON text, as it was written. */
  readonly idText: string
  /** Why the entry is no request; undefined for one. */
  readonly fault: string | undefined
  /** The request over HTTP or WebSocket that it belongs to. */
  readonly request: RequestScope
  readonly shared: Shared
  /** The answer, when its bytes are prepared. */
  answer: Answer | undefined
  /** Bytes of the answer that the method gave, also when a refusal is sent in its place. */
  bytes: number
  delivery: 'open' | 'delivered' | 'dropped'
  listeners: ((delivered: boolean) => void)[] | undefined
}

/** The outcome of a call, for logs and metrics. */
export type ObservedCall = {
  /** 0, or the JSON-RPC error code. */
  code: number
  /** The id of the request, when it is short. */
  readonly id?: number | string | undefined
  /** `unknown` or `invalid` when no method ran. */
  readonly method: string
  /** Milliseconds. */
  ms: number
  /** When it began, in monotonic milliseconds. */
  started: number
}

/** One concern of all calls. */
export type RpcMiddleware = JSONRPCServerMiddleware<RpcCall>

/** What the calls of one request share. */
export type Shared = {
  readonly request: RequestScope
  /** Remaining bytes of the response limit; negative once an answer exceeded it. */
  left: number
  /** Their outcomes, for the log; undefined when it is off. */
  readonly calls: ObservedCall[] | undefined
}

/** Runs a call with its context, name and raw params. Its result or error becomes the answer. */
export type AroundCall = (
  call: { context: Context; method: string; params: readonly unknown[] },
  run: () => unknown,
) => unknown

/**
 * Opens the record of an entry.
 *
 * @param rawId - its numeric id as it was written
 */
export function openCall(
  entry: unknown,
  rawId: string | undefined,
  isServed: (method: string) => boolean,
  shared: Shared,
): RpcCall {
  const fault = faultOf(entry)
  const method = fault === undefined ? (entry as JSONRPCRequest).method : ''
  return {
    method: fault === undefined ? (isServed(method) ? method : 'unknown') : 'invalid',
    id: shownId(entry),
    idText: idText(entry, rawId),
    fault,
    request: shared.request,
    shared,
    code: 0,
    ms: 0,
    started: 0,
    answer: undefined,
    bytes: 0,
    delivery: 'open',
    listeners: undefined,
  }
}

/**
 * The scope that a method gets. A batch has several calls, and the answer of a call may be dropped or replaced, so its listeners reach
 * the connection only once its result is part of the response.
 */
export const scopeOfCall = scopesOf<RpcCall>({
  ...ofRequest,
  onDelivery(call, listener) {
    if (call.delivery === 'open') (call.listeners ??= []).push(listener)
    else if (call.delivery === 'delivered') call.request.onDelivery(listener)
    else listener(false)
  },
})

/**
 * Says whether the result is part of the response, so that the connection reports its delivery. It is not when the call is a
 * notification, an error replaces it, or it is too large.
 */
export function endCall(call: RpcCall, isDelivered: boolean): void {
  call.delivery = isDelivered ? 'delivered' : 'dropped'
  for (const listener of call.listeners ?? [])
    if (isDelivered) call.request.onDelivery(listener)
    else listener(false)
}
