import type { RpcError } from '../../lib/errors.ts'
import { type Wire, wireLength } from '../../lib/wire.ts'

/** A response: a sequence of texts and bytes, and their total length. */
export type Answer = {
  readonly parts: readonly (string | Buffer)[]
  readonly bytes: number
  /** Why the only call of the request was not allowed to run; absent when it ran. */
  readonly refused?: RpcError
}

/** Creates an answer from a text. */
function textAnswer(text: string): Answer {
  return { parts: [text], bytes: Buffer.byteLength(text) }
}

/** The response object of a successful call, around cached bytes. `id` is JSON text. */
export function wireAnswer(id: string, result: Wire<unknown>): Answer {
  const head = `{"jsonrpc":"2.0","id":${id},"result":`
  if (result.parts) {
    const bytes = Buffer.byteLength(head) + wireLength(result) + 1
    return { parts: [head, ...result.parts, '}'], bytes }
  }
  return {
    parts: result.closed ? [head, result.closed] : [head, result.bytes, '}'],
    bytes: Buffer.byteLength(head) + result.bytes.length + 1,
  }
}

/**
 * The response object of a successful call. `id` is JSON text. @throws TypeError for a value that JSON cannot
 * represent.
 */
export function resultAnswer(id: string, result: unknown): Answer {
  return textAnswer(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`)
}

/** The response object of a failed call. `id` is JSON text. */
export function errorAnswer(
  id: string,
  error: { code: number; message: string; data?: unknown },
): Answer {
  return textAnswer(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`)
}

/** The response object of a call that was not allowed to run. `id` is JSON text. */
export function refusedAnswer(id: string, refused: RpcError): Answer {
  const { code, data, message } = refused
  return { ...errorAnswer(id, { code, message, data }), refused }
}

/** The response array of a batch. */
export function batchAnswer(answers: readonly Answer[]): Answer {
  const parts: (string | Buffer)[] = []
  let bytes = 1
  for (const answer of answers) {
    parts.push(parts.length === 0 ? '[' : ',', ...answer.parts)
    bytes += answer.bytes + 1
  }
  parts.push(']')
  return { parts, bytes }
}

/** The whole answer in one buffer. */
export function answerBytes({ bytes, parts }: Answer): Buffer {
  const out = Buffer.allocUnsafe(bytes)
  let at = 0
  for (const part of parts)
    at += typeof part === 'string' ? out.write(part, at) : part.copy(out, at)
  return out
}
