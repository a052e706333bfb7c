import type { RpcError } from '../../lib/errors.ts'
import {
  NodeAnswerError,
  NodeBusyError,
  NodeLacksApiError,
  nodeErrorOf,
  NodeUnclearError,
  unknownFormat,
} from '../errors.ts'
import type { NativeReply } from '../transport/transport.ts'
import { hasFormat, isEmpty } from '../wire/formats.ts'
import { needsConfirmation } from './need.ts'

/** The outcome of a call to one node. */
export type Outcome =
  /** An answer, or a refusal of the request. Another node would answer the same. */
  | { kind: 'answer'; reply: NativeReply; isRefusal?: true }
  /** The node does not have the object. */
  | { kind: 'unknown'; reply: NativeReply }
  /** The node limits the rate. */
  | { kind: 'busy'; error: RpcError }
  /** The node does not offer the operation. */
  | { kind: 'lacks'; error: RpcError }
  /**
   * The reply cannot be read, or the node failed. `isUnsent`: the call was not sent at all. `isOfText`: the reason may be what a
   * client wrote, see `isOfClient`.
   */
  | { kind: 'failed'; error: RpcError; isUnsent?: true; isOfText?: true }

/**
 * Classifies the reply of a node.
 *
 * @param parsed - its body, see `parseAnswer`. It is passed along, so that it is parsed only once.
 * @param areTexts - whether its integers may be texts, see `asksForTexts`.
 */
export function outcomeOf(
  operation: string,
  reply: NativeReply,
  parsed: unknown,
  areTexts = false,
): Outcome {
  const error = nodeErrorOf(operation, reply, parsed)
  if (!error)
    return outcomeOfAnswer(
      operation,
      'parsed' in reply ? reply : withParsed(reply, parsed),
      areTexts,
    )
  if (error instanceof NodeBusyError) return { kind: 'busy', error }
  if (error instanceof NodeLacksApiError) return { kind: 'lacks', error }
  if (error instanceof NodeUnclearError) return { kind: 'failed', error, isOfText: true }
  if (error instanceof NodeAnswerError) return { kind: 'failed', error }
  // A hash that begins with a height above the node's head is not "unknown" to it but "illegal".
  const refusal = { status: reply.status, text: reply.text, parsed }
  return /id must be legal block hash/.test(error.message)
    ? { kind: 'unknown', reply: refusal }
    : { kind: 'answer', reply: refusal, isRefusal: true }
}

/** Field by field: a copy by spreading takes longer than the rest of the classification. */
function withParsed({ isChecked, status, text }: NativeReply, parsed: unknown): NativeReply {
  return { status, text, parsed, isChecked }
}

function outcomeOfAnswer(operation: string, reply: NativeReply, areTexts: boolean): Outcome {
  const { parsed } = reply
  if (needsConfirmation(operation) && isNothing(parsed)) return { kind: 'unknown', reply }
  if (CALLS_OFF.has(operation) && isOff(parsed))
    return { kind: 'lacks', error: new NodeLacksApiError(operation, 'disabled', {}) }
  if (!hasFormat(operation, parsed, areTexts))
    return { kind: 'failed', error: unknownFormat(operation) }
  return { kind: 'answer', reply }
}

/** Operations that a node answers with a message when they are switched off. */
const CALLS_OFF = new Set(['triggerconstantcontract', 'estimateenergy'])

/** The result or revert reason of a contract may contain the same words, so only the node's own message counts. */
function isOff(parsed: unknown): boolean {
  const message = (parsed as { result?: { message?: unknown } } | null)?.result?.message
  return typeof message === 'string' && message.includes(NOT_SUPPORTED)
}

/** Hex of `this node does not support`. */
const NOT_SUPPORTED = '74686973206e6f646520646f6573206e6f7420737570706f7274'

/** Whether an answer is `{}` or `[]`: the node does not have the object. */
export function isNothing(parsed: unknown): boolean {
  return typeof parsed === 'object' && parsed !== null && isEmpty(parsed)
}
