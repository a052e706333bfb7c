import type { JSONRPCRequest, JSONRPCServer, JSONRPCServerMiddleware } from 'json-rpc-2.0'

import { createAskedNodes } from '../../lib/call.ts'
import type { ClientCall } from '../request.ts'
import type { Answer } from './answer.ts'
import { faultOf, idText, shownId } from './entry.ts'

/**
 * One call from its beginning to its outcome: what middleware reads and writes, and what its method gets. json-rpc-2.0 passes it on
 * beside the request, as its server parameter.
 */
export type RpcCall = ClientCall & {
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
  /** Its id as JSON text, as it was written. */
  readonly idText: string
  /** Why the entry is no request; undefined for one. */
  readonly fault: string | undefined
  readonly shared: Shared
  /** The answer, when its bytes are prepared. */
  answer: Answer | undefined
  /** Bytes of the answer that the method gave, also when a refusal is sent in its place. */
  bytes: number
  /** Whether its result is part of the response; undefined before its end. */
  isDelivered: boolean | undefined
  listeners: ((delivered: boolean) => void)[] | undefined
}

/** The outcome of a call, for logs and metrics. */
export type ObservedCall = Pick<RpcCall, 'code' | 'id' | 'method' | 'ms' | 'started'>

/** One concern of all calls. */
export type RpcMiddleware = JSONRPCServerMiddleware<RpcCall>

/** What the calls of one request share. */
export type Shared = {
  /** What was sent over HTTP or WebSocket, as one call. */
  readonly request: ClientCall
  /** The calls of a batch are asked of one node; undefined for a single call. */
  readonly group?: object
  /** Remaining bytes of the response limit; negative once an answer exceeded it. */
  left: number
  /** Their outcomes, for the log; undefined when it is off. */
  readonly calls: ObservedCall[] | undefined
}

/** Runs a call with its name and raw params. Its result or error becomes the answer. */
export type AroundCall = (
  call: { call: ClientCall; method: string; params: readonly unknown[] },
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
  server: Pick<JSONRPCServer, 'hasMethod'>,
  shared: Shared,
): RpcCall {
  const fault = faultOf(entry)
  const method = fault === undefined ? (entry as JSONRPCRequest).method : ''
  const { group, request } = shared
  return {
    method: fault === undefined ? (server.hasMethod(method) ? method : 'unknown') : 'invalid',
    id: shownId(entry),
    idText: idText(entry, rawId),
    fault,
    asked: createAskedNodes(),
    caller: request.caller,
    client: request.client,
    group,
    headers: request.headers,
    meter: request.meter,
    signal: request.signal,
    socket: request.socket,
    onDelivery,
    shared,
    code: 0,
    ms: 0,
    started: 0,
    answer: undefined,
    bytes: 0,
    isDelivered: undefined,
    listeners: undefined,
  }
}

/**
 * A batch has several calls, and the answer of a call may be dropped or replaced, so its listeners reach the connection only once its
 * result is part of the response. All calls share this function.
 */
function onDelivery(this: RpcCall, listener: (delivered: boolean) => void): void {
  if (this.isDelivered === undefined) (this.listeners ??= []).push(listener)
  else if (this.isDelivered) this.shared.request.onDelivery(listener)
  else listener(false)
}

/**
 * Says whether the result is part of the response, so that the connection reports its delivery. It is not when the call is a
 * notification, an error replaces it, or it is too large.
 */
export function endCall(call: RpcCall, isDelivered: boolean): void {
  call.isDelivered = isDelivered
  call.listeners?.forEach((listener) => call.onDelivery(listener))
}
