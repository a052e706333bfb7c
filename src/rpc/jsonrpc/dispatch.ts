import {
  createJSONRPCSuccessResponse,
  JSONRPC,
  type JSONRPCID,
  type JSONRPCRequest,
  type JSONRPCResponse,
  JSONRPCErrorCode,
  JSONRPCServer,
} from 'json-rpc-2.0'

import { RpcError } from '../../lib/errors.ts'
import { isPrepared } from '../../lib/prepared.ts'
import type { Context } from '../context.ts'
import { type AnyMethod, callMethod } from '../method.ts'
import { type Answer, errorAnswer, resultAnswer, preparedAnswer } from './answer.ts'
import { answered, isThenable } from './answered.ts'
import {
  type AroundCall,
  endCall,
  openCall,
  type RpcCall,
  type RpcMiddleware,
  type Shared,
} from './call.ts'
import {
  errorOf,
  errorResponse,
  INTERNAL,
  invalidRequest,
  methodNotFound,
  tooLarge,
  TOO_MUCH_UNSENT,
} from './failures.ts'

/** Answers one entry; undefined for a notification. Never fails. */
export type Dispatch = ReturnType<typeof createDispatch>

/**
 * The table of methods as a server of json-rpc-2.0. A response carries what the method returned; the innermost middleware writes it as
 * bytes with the id as the client wrote it, so that prepared bytes are sent without a copy.
 */
export function createDispatch({
  around,
  config: { responseLimit },
  context,
  limits,
  methods,
  middleware,
  onError,
}: createDispatch.Options) {
  const server = new JSONRPCServer<RpcCall>({
    errorListener: (message, error) => onError(error, message),
  })
  const served = Object.keys(methods).filter((name) => methods[name]?.kind !== 'refused')
  server.mapErrorToJSONRPCErrorResponse = (id, error) => errorResponse(id, errorOf(error))
  // The library answers other texts than geth.
  server.handleMethodNotFound = async ({ id = null, method }, given) => {
    const { fault } = given as RpcCall
    return errorResponse(
      id,
      fault === undefined ? methodNotFound(method, served) : invalidRequest(fault),
    )
  }
  for (const [name, method] of Object.entries(methods))
    server.addMethodAdvanced(name, (request, call) => run(name, method, request, call))

  function run(
    name: string,
    method: AnyMethod,
    { id = null, params }: JSONRPCRequest,
    call: RpcCall,
  ) {
    const given: unknown = params ?? []
    const work = (view: Context) => {
      if (!Array.isArray(given)) throw new RpcError(JSONRPCErrorCode.InvalidParams, NO_ARRAY)
      if (!around) return callMethod(method, view, given, call)
      const runs = () => callMethod(method, view, given, call)
      return around({ call, context: view, method: name, params: given }, runs)
    }
    const view = context()
    const result: unknown = view instanceof Promise ? view.then(work) : work(view)
    return isThenable(result)
      ? Promise.resolve(result).then((value) => createJSONRPCSuccessResponse(id, value))
      : answered(createJSONRPCSuccessResponse(id, result))
  }

  /** Turns what the method returned or threw into an answer, within what the request may still have. */
  const settled: RpcMiddleware = (next, request, call) => {
    let response: PromiseLike<JSONRPCResponse | null>
    try {
      response = next(request, call)
    } catch (error) {
      return answered(settle(request, call, responseTo(request, call, error)))
    }
    return response.then(
      (response) => settle(request, call, response),
      (error) => settle(request, call, responseTo(request, call, error)),
    )
  }

  function responseTo({ id }: JSONRPCRequest, { method }: RpcCall, error: unknown) {
    onError(error, `the call of ${method} failed`)
    return id === undefined ? null : server.mapErrorToJSONRPCErrorResponse(id, error)
  }

  function settle(
    { id }: JSONRPCRequest,
    call: RpcCall,
    response: JSONRPCResponse | null,
  ): JSONRPCResponse | null {
    if (id === undefined || !response) {
      // A notification is not answered, even if it failed.
      if (call.method === 'unknown') call.code = JSONRPCErrorCode.MethodNotFound
      endCall(call, false)
      return null
    }
    const written = write(id, call, response)
    const refusal = refusalOf(call)
    endCall(call, !written.error && !refusal)
    if (!refusal) return written
    call.answer = undefined
    return errorResponse(id, refusal)
  }

  function write(id: JSONRPCID, call: RpcCall, response: JSONRPCResponse): JSONRPCResponse {
    try {
      call.answer = answerOf(call.idText, response)
    } catch (error) {
      onError(error, `the result of ${call.method} cannot be serialised as JSON`)
      return write(id, call, errorResponse(id, INTERNAL))
    }
    call.bytes = call.answer.bytes
    return response
  }

  /** Why an answer is not sent; undefined when it is. */
  function refusalOf({ bytes, client, shared }: RpcCall) {
    shared.left = bytes <= shared.left ? shared.left - bytes : -1
    if (shared.left < 0) return tooLarge(responseLimit)
    return (limits?.hasRoom(bytes, client) ?? true) ? undefined : TOO_MUCH_UNSENT
  }

  server.applyMiddleware(...middleware, settled)

  /** @param rawId - its numeric id as it was written */
  return (
    entry: unknown,
    rawId: string | undefined,
    shared: Shared,
  ): PromiseLike<Answer | undefined> => {
    const call = openCall(entry, rawId, server, shared)
    // What is no request passes the same middleware, and is answered as a method that does not exist.
    const request = call.fault === undefined ? (entry as JSONRPCRequest) : NO_REQUEST
    return server
      .receive(request, call)
      .then((response) => (response ? (call.answer ?? answerOf(call.idText, response)) : undefined))
  }
}

export declare namespace createDispatch {
  type Options = {
    /** Wraps every call of a known method, with its context. Its result or error becomes the answer. */
    around?: AroundCall | undefined
    /** What methods may use. @throws RpcError while it is not available */
    context: () => Context | Promise<Context>
    /** Whether an answer of this many bytes may be buffered until its client has read it. @default all of them */
    limits?: { hasRoom: (bytes: number, client: string) => boolean } | undefined
    /** The key is the wire name. */
    methods: Record<string, AnyMethod>
    /** What wraps every call, the outermost first. */
    middleware: readonly RpcMiddleware[]
    /** Called with everything that a handler throws, expected or not. */
    onError: (error: unknown, message: string) => void
    config: { /** Largest response, bytes. */ responseLimit: number }
  }
}

const NO_ARRAY = 'invalid params: expected an array, by position'

const NO_REQUEST: JSONRPCRequest = { jsonrpc: JSONRPC, id: null, method: '' }

function answerOf(id: string, { error, result }: JSONRPCResponse): Answer {
  if (error) return errorAnswer(id, error)
  return isPrepared(result) ? preparedAnswer(id, result) : resultAnswer(id, result)
}
