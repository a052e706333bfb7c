/**
 * A transaction or a builder's request that the chain refuses. `code` is what a broadcast answers; `message` the node's
 * text without the prefix that a broadcast adds.
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

/** Refuses a transaction because of its content. */
export function invalid(message: string): never {
  throw new RefusedError('CONTRACT_VALIDATE_ERROR', message)
}

/** A value that the node of a forked chain does not keep. */
export class ForkError extends Error {
  override name = 'ForkError'
}

/** An Ethereum transaction or call that the chain refuses, in the words of Ethereum nodes. */
export class EthereumError extends Error {
  override name = 'EthereumError'
}

/** Whether an error says that a transaction is not valid, and not that its execution went wrong. */
export function isRefusal(error: unknown): boolean {
  return error instanceof RefusedError || error instanceof EthereumError
}
