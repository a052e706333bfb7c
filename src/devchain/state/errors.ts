/**
 * The chain rejects a transaction or a request of a builder. `code` is the code of the broadcast answer, `message` the
 * node's text without the prefix that a broadcast adds.
 */
export class RefusedError extends Error {
  override name = 'RefusedError'
  readonly code: RefusedError.Code

  constructor(code: RefusedError.Code, message: string) {
    super(message)
    this.code = code
  }
}

export declare namespace RefusedError {
  type Code =
    | 'SIGERROR'
    | 'CONTRACT_VALIDATE_ERROR'
    | 'CONTRACT_EXE_ERROR'
    | 'BANDWITH_ERROR'
    | 'DUP_TRANSACTION_ERROR'
    | 'TAPOS_ERROR'
    | 'TOO_BIG_TRANSACTION_ERROR'
    | 'TRANSACTION_EXPIRATION_ERROR'
    | 'OTHER_ERROR'
}

/** Rejects a transaction because of its content. @throws RefusedError */
export function invalid(message: string): never {
  throw new RefusedError('CONTRACT_VALIDATE_ERROR', message)
}

/** A value that the node of a forked chain does not keep. */
export class ForkError extends Error {
  override name = 'ForkError'
}

/** The chain rejects an Ethereum transaction or call. The message is that of Ethereum nodes. */
export class EthereumError extends Error {
  override name = 'EthereumError'
}

/** Whether an error means that a transaction is invalid, not that its execution failed. */
export function isRefusal(error: unknown): boolean {
  return error instanceof RefusedError || error instanceof EthereumError
}
