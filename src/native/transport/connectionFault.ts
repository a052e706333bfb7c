import { errorCode } from '../../lib/errorCode.ts'
import { NodeTimeoutError, NodeUnreachableError } from '../errors.ts'

/** The codes of a connection that broke while a call was in flight: the node may have received the call. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** The codes of a connection that was not established: the call was not sent. */
const NOT_ESTABLISHED = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'])

const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/** Whether the connection broke while a call was in flight. */
export function isBrokenConnection(error: unknown): boolean {
  return BROKEN.has(errorCode(error) ?? '')
}

/** Whether the connection was not established, so that the node cannot have received the call. */
export function isUnsent(error: unknown): boolean {
  return NOT_ESTABLISHED.has(errorCode(error) ?? '')
}

/** The error for a call without an answer. @param timeout - milliseconds of the call */
export function connectionErrorOf(
  error: unknown,
  timeout: number,
): NodeTimeoutError | NodeUnreachableError {
  return TIMED_OUT.has(errorCode(error) ?? '')
    ? new NodeTimeoutError(timeout)
    : new NodeUnreachableError({ cause: error })
}
