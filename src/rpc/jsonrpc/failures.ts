import { createJSONRPCErrorResponse, JSONRPCErrorCode, type JSONRPCID } from 'json-rpc-2.0'

import { closest } from '../../lib/closest.ts'
import { RpcError } from '../../lib/errors.ts'

// The error objects that the server answers by itself, without a method.

/** The text is not JSON. */
export const PARSE_ERROR = { code: JSONRPCErrorCode.ParseError, message: 'Parse error' }

/** The text cannot be read. */
export function unreadable(cause: string) {
  return { ...PARSE_ERROR, message: `${PARSE_ERROR.message}: ${cause}` }
}

/** The batch has more calls than the limit. */
export function tooManyCalls(count: number, limit: number) {
  return { code: -32005, message: `Batch size ${count} exceeds the limit of ${limit}` }
}

/** Anything other than an RpcError that a method throws. Its text is logged and not sent to the client. */
const INTERNAL = { code: JSONRPCErrorCode.InternalError, message: 'Internal error' }

/** More answers wait for slow clients than `--unsent-bytes` allows. */
export const TOO_MUCH_UNSENT = {
  code: -32005,
  message: 'too many responses wait for slow readers, try again later',
}

/** The text is JSON but not a request. */
export function invalidRequest(fault: string) {
  return { code: JSONRPCErrorCode.InvalidRequest, message: `Invalid Request: ${fault}` }
}

/** The method does not exist. Geth's message, followed by the most similar method name. */
export function methodNotFound(method: string, served: readonly string[]) {
  const name = method.length > 64 ? `${method.slice(0, 64)}…` : method
  const near = closest(method, served)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return {
    code: JSONRPCErrorCode.MethodNotFound,
    message: `the method ${name} does not exist/is not available${hint}`,
  }
}

/** The response is larger than the limit. Geth and the node answer the same code. @param limit - bytes */
export function tooLarge(limit: number) {
  return { code: -32003, message: `Response exceeds the limit of ${limit} bytes` }
}

/** The response of json-rpc-2.0 that carries an error object. */
export function errorResponse(id: JSONRPCID, { code, data, message }: ReturnType<typeof errorOf>) {
  return createJSONRPCErrorResponse(id, code, message, data)
}

/** The error object for what a method threw. */
export function errorOf(error: unknown): { code: number; message: string; data?: unknown } {
  if (!(error instanceof RpcError)) return INTERNAL
  const { code, data, message } = error
  return { code, message, data }
}
