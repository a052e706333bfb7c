/**
 * A JSON-RPC error response: `code`, a readable message, optional `data`. Any other exception becomes
 * `-32603 Internal error`: its text goes to the log and not to the caller.
 */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, options: RpcError.Options = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.data = options.data
  }
}

export declare namespace RpcError {
  type Options = { cause?: unknown; data?: unknown }
}

/** `-32602`: a parameter is missing or malformed. `index` is its position in `params`. */
export class InvalidParamsError extends RpcError {
  override name = 'InvalidParamsError'

  constructor(index: number, reason: string) {
    super(-32602, `invalid argument ${index}: ${reason}`)
  }
}

/** Whether an error is `-32602`. */
export function isInvalidParams(error: unknown): boolean {
  return error instanceof RpcError && error.code === -32602
}

/** `-32602`: a search names a block that does not exist yet. Its logs may be on the way, so an empty answer would be wrong. */
export class BeyondHeadError extends RpcError {
  override name = 'BeyondHeadError'

  constructor(requested: number, head: number) {
    super(
      -32602,
      `block range extends beyond current head block: requested ${requested}, head ${head}`,
    )
  }
}

/** `-32601`: the gateway does not serve this Ethereum method. The message says why. */
export class MethodNotSupportedError extends RpcError {
  override name = 'MethodNotSupportedError'

  constructor(method: string, reason: string) {
    super(-32601, `the method ${method} does not exist/is not available: ${reason}`)
  }
}

/** `3`: a contract reverted. `data` is the exact revert data as hex, `0x` if it is empty. */
export class ExecutionRevertedError extends RpcError {
  override name = 'ExecutionRevertedError'

  constructor(data: `0x${string}`, reason?: string) {
    super(3, reason ? `execution reverted: ${reason}` : 'execution reverted', { data })
  }
}

/** `-32000`: the state of a block that the node does not keep. The gateway never answers with the latest state instead. */
export class HistoricalStateError extends RpcError {
  override name = 'HistoricalStateError'

  constructor(what: string, options: RpcError.Options = {}) {
    super(-32000, `historical state ${what} is not available`, options)
  }
}

/** `-32603`: the upstream is unreachable, or its answer is unreadable. Callers may retry. */
export class UpstreamError extends RpcError {
  override name = 'UpstreamError'

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(-32603, message, options)
  }
}

/** `-32005`: the request exceeds a limit of the gateway or of the upstream. */
export class LimitExceededError extends RpcError {
  override name = 'LimitExceededError'

  constructor(message: string, options: RpcError.Options = {}) {
    super(-32005, message, options)
  }
}

/** `-32005`: a search found too much or took too long. A shorter range of blocks may be answered. */
export class NarrowRangeError extends LimitExceededError {
  override name = 'NarrowRangeError'
}
