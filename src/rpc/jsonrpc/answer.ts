import type { RpcError } from '../../lib/errors.ts'
import { type Prepared, preparedLength } from '../../lib/prepared.ts'
import { errorOf } from './failures.ts'

/** A response: a sequence of texts and bytes, and their total length. */
export type Answer = {
  readonly parts: readonly (string | Buffer)[]
  readonly bytes: number
  /** Why the only call of the request was not allowed to run; absent when it ran. */
  readonly refused?: RpcError
}

/** The response object of a successful call, around cached bytes. `id` is JSON text. */
export function preparedAnswer(id: string, result: Prepared<unknown>): Answer {
  const head = `{"jsonrpc":"2.0","id":${id},"result":`
  const rest = result.closed ? [result.closed] : [...(result.parts ?? [result.bytes]), '}']
  // V8 copies a joined text when it is read, so its length is not read from it.
  const bytes = FRAME + Buffer.byteLength(id) + preparedLength(result)
  return { parts: [head, ...rest], bytes }
}

const FRAME = '{"jsonrpc":"2.0","id":,"result":}'.length

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

function textAnswer(text: string): Answer {
  return { parts: [text], bytes: Buffer.byteLength(text) }
}

/** The response object of a call that was not allowed to run. `id` is JSON text. */
export function refusedAnswer(id: string, refused: RpcError): Answer {
  return { ...errorAnswer(id, errorOf(refused)), refused }
}

/** The response array of a batch. Neighbouring texts become one part, because each part is written by itself. */
export function batchAnswer(answers: readonly Answer[]): Answer {
  const parts: (string | Buffer)[] = []
  let text = '['
  let bytes = 1
  for (const answer of answers) {
    if (bytes > 1) text += ','
    for (const part of answer.parts)
      if (typeof part === 'string') text += part
      else {
        parts.push(text, part)
        text = ''
      }
    bytes += answer.bytes + 1
  }
  parts.push(`${text}]`)
  return { parts, bytes }
}

/** The whole answer in one buffer. @param out - the buffer, with the length of the answer. @default a new one */
export function answerBytes(
  { bytes, parts }: Answer,
  out: Buffer = Buffer.allocUnsafe(bytes),
): Buffer {
  let at = 0
  for (const part of parts)
    at += typeof part === 'string' ? out.write(part, at) : part.copy(out, at)
  return out
}
