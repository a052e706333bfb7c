import type * as account from './accountTypes.ts'
import type * as wire from './types.ts'

/**
 * One operation of the node's HTTP API.
 *
 * - `read`: may be asked again and shared between callers.
 * - `build`: has no effect on the chain, so it may be asked again. Two callers must not get the same transaction.
 * - `send`: is asked once.
 */
export type Operation<input, output> = {
  /** Last part of the path; spelled exactly, capitals matter. */
  path: string
  kind: 'read' | 'build' | 'send'
  method: 'GET' | 'POST'
  /** Meaning of the answer `{}`. @default 'itself' */
  empty?: 'unknown' | 'none' | 'itself'
  /** Where only a part of the answer is wanted, with a name of its own for this path. */
  part?: Part<output>
  /** Never set; carries the types of request and answer. */
  readonly types?: { input: input; output: output }
}

/** A part of an answer, which takes less to read than the whole. */
export type Part<output> = {
  name: string
  /** Reads the text; undefined when it is not laid out as expected, so that the whole is read. */
  read: (text: string) => unknown
  /** The part of what was read, or of the whole answer. */
  pick: (answer: never) => output
}

/** A query whose answer `{}` means that there is no such thing. */
export const find = <input, output>(path: string): Operation<input, output | undefined> => ({
  path,
  kind: 'read',
  method: 'POST',
  empty: 'unknown',
})

/** A query that always has an answer; `{}` is one of them. */
export const read = <input, output>(path: string): Operation<input, output> => ({
  path,
  kind: 'read',
  method: 'POST',
})

/** A query without a body. The node takes GET and POST; this is the one that the specification names. */
export const get = <output>(path: string): Operation<undefined, output> => ({
  path,
  kind: 'read',
  method: 'GET',
})

/** A list; `{}` and a missing list both are an empty one. */
export const list = <input, output>(path: string): Operation<input, output[]> => ({
  path,
  kind: 'read',
  method: 'POST',
  empty: 'none',
})

export const build = <input, output = wire.Transaction>(
  path: string,
): Operation<input, output> => ({
  path,
  kind: 'build',
  method: 'POST',
})

export const send = <input>(path: string): Operation<input, account.BroadcastResult> => ({
  path,
  kind: 'send',
  method: 'POST',
})
