import { UpstreamError } from '../../lib/errors.ts'
import {
  NodeBusyError,
  NodeLacksApiError,
  NodeRefusedError,
  NodeTimeoutError,
  NodeUnreachableError,
} from '../../native/errors.ts'
import { CommandError, EXIT } from './errors.ts'

/** The failure of a command for anything that was thrown. Libraries wrap the errors of their transport. */
export function failureOf(error: unknown): CommandError {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof CommandError) return at
  const message = error instanceof Error ? error.message : String(error)
  return new CommandError(message.split('\n')[0] || 'failed without a message', {
    cause: error,
    exitCode: exitCodeOf(error),
  })
}

/** The exit code for anything that was thrown. */
export function exitCodeOf(error: unknown): number {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof CommandError) return at.exitCode
    if (at instanceof NodeUnreachableError || at instanceof NodeTimeoutError)
      return EXIT.unreachable
  }
  return EXIT.failed
}

/** The failure for an error of the native client. Any other error is returned unchanged. */
export function nodeFailure(error: unknown, { path, timeout, where }: nodeFailure.Call): unknown {
  if (error instanceof NodeUnreachableError) return unreachableError(where, error.cause)
  if (error instanceof NodeTimeoutError) return timeoutError(where, timeout)
  if (error instanceof NodeRefusedError) return new CommandError(`${path}: ${error.reason}`)
  if (error instanceof NodeBusyError)
    return new CommandError(`${where} is busy; try again later`, { exitCode: EXIT.unreachable })
  if (error instanceof NodeLacksApiError)
    return error.reason === 'lite'
      ? new CommandError(`${where}: this node has no history (lite node); use a full node`)
      : new NotServedError(where, error.reason === 'disabled')
  return error instanceof UpstreamError
    ? new CommandError(`${where}: ${error.message.replace('the upstream node', 'the node')}`)
    : error
}

export declare namespace nodeFailure {
  type Call = {
    /** The operation. */
    path: string
    /** The address, as the user gave it. */
    where: string
    /** Milliseconds. */
    timeout: number
  }
}

/** The operation does not exist at this address. */
export class NotServedError extends CommandError {
  override name = 'NotServedError'

  constructor(where: string, isDisabled = false) {
    const why = isDisabled ? ' (it is disabled in the node’s configuration)' : ''
    super(
      `${where} does not serve this operation${why}; give a node with --node http://HOST:8090, or see "ethgate native --list"`,
    )
  }
}

/** The server did not answer in time. */
export function timeoutError(url: string, timeout: number): CommandError {
  return new CommandError(
    `${url} did not answer within ${timeout / 1000} s; use --timeout SECONDS to wait longer`,
    { exitCode: EXIT.unreachable },
  )
}

/** No server is reachable at this address. */
export function unreachableError(url: string, cause: unknown): CommandError {
  return new CommandError(
    `cannot reach ${url} (${reasonOf(cause)}); check that it is running and that the address is right (--rpc-url, --node)`,
    { exitCode: EXIT.unreachable, cause },
  )
}

/**
 * The reason of the operating system. The message of fetch is only "fetch failed"; its cause has the reason. If the host has
 * several addresses, the cause has a list of reasons.
 */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const code = (first as NodeJS.ErrnoException | undefined)?.code
  if (code === 'ECONNREFUSED') return 'connection refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown host'
  if (code === 'UND_ERR_SOCKET') return 'the connection was closed; it may not be an HTTP server'
  return code ?? (first instanceof Error ? first.message : 'no reason given')
}
