import type * as account from './accountTypes.ts'
import type * as wire from './types.ts'

/**
 * One operation of the node's HTTP API.
 *
 * - `read`: may be repeated, and callers may share its answer.
 * - `build`: may be repeated, because it has no effect on the chain. Two callers must not get the same transaction.
 * - `send`: is not repeated after a fault, because the node may have executed it, but when the node was too busy to execute it.
 */
export type Operation<input, output> = {
  /** Last part of the path, in its exact letter case. */
  path: string
  kind: 'read' | 'build' | 'send'
  method: 'GET' | 'POST'
  /** Meaning of the answer `{}`. @default 'itself' */
  empty?: 'unknown' | 'none' | 'itself'
  /** Whether an answer belongs to the request. A front end of several nodes may mix answers up. */
  isFor?(request: input, answer: NonNullable<output>): boolean
  /** The part of the answer that callers need. Absent for the whole answer. */
  part?: Part<output>
  /** Never set; carries the types of request and answer. */
  readonly types?: { input: input; output: output }
}

/** A part of an answer. Reading it takes less time than reading the whole answer. */
export type Part<output> = {
  /** Unique among the parts of a path. */
  name: string
  /**
   * Reads the text of an answer. Undefined when it does not have the expected format; then the whole answer is parsed.
   *
   * @param check - see `parseAnswer`.
   */
  read: (text: string, check?: () => void) => unknown
  /** Selects the part, from the result of `read` or from the whole answer. */
  pick: (answer: never) => output
}

/** A query whose answer `{}` means that the object does not exist. */
export const find = <input, output>(
  path: string,
  isFor?: Operation<input, output>['isFor'],
): Operation<input, output | undefined> => ({
  path,
  kind: 'read',
  method: 'POST',
  empty: 'unknown',
  ...(isFor && { isFor }),
})

/** A query whose answer `{}` is an object with default values. */
export const read = <input, output>(path: string): Operation<input, output> => ({
  path,
  kind: 'read',
  method: 'POST',
})

/** A query without a body. The node accepts GET and POST; the specification has GET. */
export const get = <output>(path: string): Operation<undefined, output> => ({
  path,
  kind: 'read',
  method: 'GET',
})

/** A list. `{}` means an empty list. */
export const list = <input, output>(path: string): Operation<input, output[]> => ({
  path,
  kind: 'read',
  method: 'POST',
  empty: 'none',
})

/** Builds an unsigned transaction. */
export const build = <input, output = wire.Transaction>(
  path: string,
): Operation<input, output> => ({
  path,
  kind: 'build',
  method: 'POST',
})

/** Sends a signed transaction. */
export const send = <input>(path: string): Operation<input, account.BroadcastResult> => ({
  path,
  kind: 'send',
  method: 'POST',
})
