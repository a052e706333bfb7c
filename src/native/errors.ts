import { LimitExceededError, RpcError, UpstreamError } from '../lib/errors.ts'
import { shownText } from './shownText.ts'

// Errors of the node. The messages are for clients of the gateway, so they contain no class names, no bodies and no addresses
// of the upstream. `cause` has the received text, for the log.

/** The gateway cannot connect to the node, or the connection broke and a retry failed too. */
export class NodeUnreachableError extends UpstreamError {
  override name = 'NodeUnreachableError'

  constructor(options: { cause?: unknown } = {}) {
    super('the upstream node is unreachable', options)
  }
}

/** The node did not answer in time. */
export class NodeTimeoutError extends UpstreamError {
  override name = 'NodeTimeoutError'

  constructor(milliseconds: number) {
    super(`the upstream node did not answer within ${milliseconds} ms`)
  }
}

/** The node accepts connections but does not answer. No call is made until a probe gets an answer. */
export class NodeSilentError extends UpstreamError {
  override name = 'NodeSilentError'

  constructor() {
    super('the upstream node does not answer, try again later')
  }
}

/** `-32603`: the node answers, and it serves another chain. */
export class OtherChainError extends UpstreamError {
  override name = 'OtherChainError'

  constructor() {
    super('the upstream node serves another chain than before')
  }
}

/** An unreadable answer: HTML, an empty body, invalid JSON, an HTTP error status. */
export class NodeAnswerError extends UpstreamError {
  override name = 'NodeAnswerError'
}

/** The node names an exception of its own as the answer: it failed at the request and has done nothing. */
export class NodeFailedError extends NodeAnswerError {
  override name = 'NodeFailedError'
  /** The member `Error` of its answer. Only clients of its own interface may see it. */
  readonly answered: string

  constructor(answered: string, options: { cause?: unknown }) {
    super('the upstream node failed to process the request', options)
    this.answered = answered
  }
}

/**
 * The node hides whether it refused the request or failed at it, as releases after 4.8.2 may do. It may be what a client wrote, so it says
 * nothing about the node, and a broadcast may have been done.
 */
export class NodeUnclearError extends NodeAnswerError {
  override name = 'NodeUnclearError'

  constructor(options: { cause?: unknown }) {
    super('the upstream node refused the request or failed at it', options)
  }
}

/** The error for an answer that is not of the operation, such as a text of a proxy. */
export function unknownFormat(operation: string): NodeAnswerError {
  return new NodeAnswerError(`the upstream node’s answer to ${operation} has an unknown format`)
}

/** An error of the node's own JSON-RPC. `answered` has its code and its text, which is for the log and for the code below only. */
export class NodeRpcError extends NodeAnswerError {
  override name = 'NodeRpcError'
  readonly answered: { code?: unknown; message?: unknown }

  constructor(method: string, answered: { code?: unknown; message?: unknown }) {
    super(`the upstream node’s JSON-RPC does not answer ${method}`, { cause: answered })
    this.answered = answered
  }
}

/** The node does not serve this operation: it does not know it, its configuration disables it, or it is a lite node. */
export class NodeLacksApiError extends UpstreamError {
  override name = 'NodeLacksApiError'
  readonly reason: NodeLacksApiError.Reason

  constructor(
    operation: string,
    reason: NodeLacksApiError.Reason,
    { status = 404, ...options }: { cause?: unknown; status?: number },
  ) {
    const why = reason === 'unknown' ? `it answered HTTP ${status}, ${UNKNOWN}` : LACKS[reason]
    super(`the upstream node does not serve ${operation}: ${why}`, options)
    this.reason = reason
  }
}

export declare namespace NodeLacksApiError {
  type Reason = 'disabled' | 'lite' | 'unknown'
}

/** The answer to a call; undefined when the node does not serve the operation. */
export async function ifServed<answer>(call: Promise<answer>): Promise<answer | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof NodeLacksApiError) return undefined
    throw error
  }
}

const LACKS = {
  disabled: 'it is disabled in the node’s configuration',
  lite: 'it is a lite node without history',
}

const UNKNOWN = 'so it lacks this operation, or the path of its address is wrong'

/** The node, or the provider in front of it, limits the rate of calls. The client has already repeated the call. */
export class NodeBusyError extends LimitExceededError {
  override name = 'NodeBusyError'
  /** Whether retries have failed already, so that the caller must not retry. */
  readonly isFinal: boolean

  constructor({ isFinal = false, ...options }: { cause?: unknown; isFinal?: boolean } = {}) {
    super('the upstream node limits the request rate, try again later', options)
    this.isFinal = isFinal
  }
}

/**
 * The node refused the request. `reason` is its text without class names, as far as it may be shown. `exception` is the short name of its exception,
 * such as `ContractValidateException`; undefined when the text has none.
 */
export class NodeRefusedError extends RpcError {
  override name = 'NodeRefusedError'
  readonly reason: string
  readonly exception: string | undefined

  constructor(reason: string, exception: string | undefined, options: { cause?: unknown } = {}) {
    super(-32000, reason, options)
    this.reason = reason
    this.exception = exception
  }
}

/** Whether a node did not answer in time, or must not get more calls for the same data now. */
export function isBusyOrUnreachable(error: unknown): boolean {
  return (
    error instanceof NodeBusyError ||
    error instanceof NodeTimeoutError ||
    error instanceof NodeUnreachableError
  )
}

const LITE = 'this API is closed because this node is a lite fullnode'
const DISABLED = 'this API is unavailable due to config'
const BUSY = 'lack of computing resources'
/** Texts of providers that answer HTTP 403 when a key exceeds its rate. */
const RATE = /frequency limit|rate limit|too many requests/i
const TOO_BIG = 'body size is too big'

/**
 * The error in a node's answer; undefined when it is a result. A lone `{"Error":…}` is always an error,
 * because no message of the node has such a field.
 *
 * @param parsed - the parsed text; undefined when it is not JSON.
 */
export function nodeErrorOf(
  operation: string,
  reply: { readonly status: number; readonly text: string },
  parsed: unknown,
): RpcError | undefined {
  const { status } = reply
  const message = errorText(parsed)
  if (status === 200 && parsed !== undefined && message === undefined) return undefined
  // A chain in this process writes the text when it is read, so it is read only here.
  const { text } = reply
  const cause = new ReceivedBody(operation, status, text)
  if (text.startsWith(LITE)) return new NodeLacksApiError(operation, 'lite', { cause })
  if (message === DISABLED) return new NodeLacksApiError(operation, 'disabled', { cause })
  if (isLimited(message) || status === 429 || (status === 403 && RATE.test(text)))
    return new NodeBusyError({ cause })
  if (status === 413 || message?.includes(TOO_BIG))
    return new LimitExceededError('the request is larger than the upstream node accepts', { cause })
  if (isUnserved(status)) return new NodeLacksApiError(operation, 'unknown', { cause, status })
  if (status === 401 || status === 403)
    return new NodeAnswerError('the upstream node denies access; check the API key', { cause })
  if (message !== undefined && status < 500)
    return isHidden(message) ? new NodeUnclearError({ cause }) : refusal(message, cause)
  if (status >= 300)
    return new NodeAnswerError(`the upstream node answered HTTP ${status}`, { cause })
  if (parsed === undefined)
    return new NodeAnswerError(
      text.trim() === ''
        ? `the upstream node returned an empty answer to ${operation}`
        : `the upstream node’s answer to ${operation} is not JSON`,
      { cause },
    )
  return undefined
}

/** Whether a text stands for the name and the text of any exception. */
export function isHidden(text: string): boolean {
  return /^internal server error\.?$/i.test(text.trim())
}

/** Whether a status says that the node does not know a path: a POST to it gets 405, a GET gets 404. */
export function isUnserved(status: number): boolean {
  return status === 404 || status === 405
}

/** Whether the node limits the rate. Other messages may quote the request, which can have the same words. */
function isLimited(message: string | undefined): boolean {
  return message !== undefined && splitException(message).text === BUSY
}

/** Whether a retry soon may succeed. */
export function isBusy(error: unknown): boolean {
  return error instanceof NodeBusyError && !error.isFinal
}

function errorText(parsed: unknown): string | undefined {
  if (typeof parsed !== 'object' || parsed === null || !('Error' in parsed)) return undefined
  return typeof parsed.Error === 'string' ? parsed.Error : String(parsed.Error)
}

function refusal(message: string, cause: unknown): RpcError {
  const { exception, text } = splitException(message)
  // A text with only a class name is an internal error of the node, not a refusal of the request.
  if (text === '' || exception === 'NullPointerException' || CLASS_NAME.test(text))
    return new NodeFailedError(message, { cause })
  // Other texts are those of a front end.
  const shown = OF_NODE.test(message) ? shownText(text, REFUSED) : REFUSED
  return new NodeRefusedError(shown, exception, { cause })
}

const REFUSED = 'the upstream node refused the request'

/** The node names an exception with its texts, but for those of `getblock` and of addresses in a query. */
const OF_NODE =
  /^(?:(?:class )?(?:org\.tron|java\.lang|com\.alibaba\.fastjson)\.|(?:id|num) must be |INVALID address, )/

const CLASS_NAME = /\b(?:[a-z]\w*\.){2,}[A-Z]/

/** Splits `class a.b.Name : text` into the short name and the text. The text may begin with another class. */
export function splitException(message: string): { exception: string | undefined; text: string } {
  const match = /^(?:class )?(?:[a-z]\w*\.)+([A-Z][\w$]*) ?: ?([\s\S]*)$/.exec(message)
  if (!match) return { exception: undefined, text: message === 'null' ? '' : message }
  const exception = match[1]?.split('$').at(-1)
  return { exception, text: splitException(match[2] ?? '').text }
}

/**
 * Text of a `message` field, which most operations give as hex of UTF-8 and a few as plain text.
 */
export function decodeMessage(message: string): string {
  if (!/^(?:[0-9a-f]{2})+$/.test(message)) return message
  const bytes = Uint8Array.from(message.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  return new TextDecoder().decode(bytes)
}

/** The start of the received text, for the log. */
class ReceivedBody extends Error {
  override name = 'ReceivedBody'

  constructor(operation: string, status: number, text: string) {
    super(`${operation}: HTTP ${status}: ${text.slice(0, 500)}`)
  }
}
