import {
  createJSONRPCSuccessResponse,
  JSONRPC,
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
  invalidRequest,
  methodNotFound,
  tooLarge,
  TOO_MUCH_UNSENT,
} from './failures.ts'

/** Answers one entry; undefined for a notification. Never fails. */
export type Dispatch = ReturnType<typeof createDispatch>

/**
 * The table of methods as a server of json-rpc-2.0. A response carries what the method returned, or the error for what it threw. It is
 * written as bytes at once, with the id as the client wrote it, so that prepared bytes are sent without a copy and middleware knows how
 * many there are.
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
    const error = fault === undefined ? methodNotFound(method, served) : invalidRequest(fault)
    return errorResponse(id, error)
  }
  for (const [name, method] of Object.entries(methods))
    server.addMethodAdvanced(name, (request, call) => run(name, method, request, call))
  server.applyMiddleware(...middleware, (next, request, call) =>
    next(request, call).then((response) => settle(request, call, response as JSONRPCResponse)),
  )

  function run(name: string, method: AnyMethod, request: JSONRPCRequest, call: RpcCall) {
    const { id = null, params } = request
    const succeed = (result: unknown) => createJSONRPCSuccessResponse(id, result)
    const fail = (error: unknown) => {
      onError(error, `the call of ${name} failed`)
      return server.mapErrorToJSONRPCErrorResponse(id, error)
    }
    try {
      const result = resultOf(name, method, params ?? [], call)
      return isThenable(result)
        ? Promise.resolve(result).then(succeed, fail)
        : answered(succeed(result))
    } catch (error) {
      return answered(fail(error))
    }
  }

  function resultOf(name: string, method: AnyMethod, params: unknown, call: RpcCall): unknown {
    const work = (view: Context) => {
      if (!Array.isArray(params)) throw new RpcError(JSONRPCErrorCode.InvalidParams, NO_ARRAY)
      const runs = () => callMethod(method, view, params, call)
      return around ? around({ call, method: name, params }, runs) : runs()
    }
    const view = context()
    return view instanceof Promise ? view.then(work) : work(view)
  }

  /** Writes the answer to a call, within what its request may still have. */
  function settle(
    { id }: Pick<JSONRPCRequest, 'id'>,
    call: RpcCall,
    response: JSONRPCResponse,
  ): JSONRPCResponse | null {
    if (id === undefined) {
      // A notification is not answered, even if it failed.
      if (call.method === 'unknown') call.code = JSONRPCErrorCode.MethodNotFound
      endCall(call, false)
      return null
    }
    try {
      call.answer = answerOf(call.idText, response)
    } catch (error) {
      onError(error, `the result of ${call.method} cannot be serialised as JSON`)
      return settle({ id }, call, errorResponse(id, errorOf(error)))
    }
    call.bytes = call.answer.bytes
    const refusal = refusalOf(call)
    endCall(call, !response.error && !refusal)
    if (!refusal) return response
    call.answer = undefined
    return errorResponse(id, refusal)
  }

  /** Why an answer is not sent; undefined when it is. */
  function refusalOf({ bytes, client, shared }: RpcCall) {
    shared.left = bytes <= shared.left ? shared.left - bytes : -1
    if (shared.left < 0) return tooLarge(responseLimit)
    return (limits?.hasRoom(bytes, client) ?? true) ? undefined : TOO_MUCH_UNSENT
  }

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
    /** Wraps every call of a known method. Its result or error becomes the answer. */
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
