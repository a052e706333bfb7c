import { isUtf8 } from 'node:buffer'

import type { Config } from '../../config/config.ts'
import { timeSlice } from '../../lib/timeSlice.ts'
import type { CallLimits } from '../../limits/limits.ts'
import { BASE_PRICE, bytesPrice } from '../../limits/prices.ts'
import type { ClientCall } from '../request.ts'
import { type Answer, batchAnswer, errorAnswer } from './answer.ts'
import type { ObservedCall, Shared } from './call.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'
import { idText, isNotification } from './entry.ts'
import { invalidRequest, PARSE_ERROR, tooLarge, tooManyCalls, unreadable } from './failures.ts'
import { inspect } from './inspect.ts'

/** Answers JSON-RPC requests. */
export type RpcServer = ReturnType<typeof createRpcServer>

/**
 * A JSON-RPC 2.0 server for a table of methods. Json-rpc-2.0 dispatches each call (`createDispatch`). Parsing is here, because ids stay as
 * they are written, and depth, size and batches have limits. Params are read by position only.
 */
export function createRpcServer(options: createRpcServer.Options) {
  const parts: Parts = { ...options, dispatch: createDispatch(options) }
  const { responseLimit: left } = options.config
  const onRequest = options.trace?.request
  return {
    /** Answers one request or batch; undefined when it contains only notifications. Never fails. */
    answer(given: string | Buffer, request: ClientCall): PromiseLike<Answer | undefined> {
      if (!onRequest) return answerGiven(parts, given, { calls: undefined, left, request })
      const calls: ObservedCall[] = []
      const started = performance.now()
      return answerGiven(parts, given, { calls, left, request }).then((answer) => {
        onRequest({ bytes: answer?.bytes ?? 0, calls, ms: performance.now() - started })
        return answer
      })
    },
  }
}

export declare namespace createRpcServer {
  type Options = createDispatch.Options & {
    /** Most calls of one batch, deepest nesting of a request, and bytes of the largest response. */
    config: Pick<Config, 'batchLimit' | 'depthLimit' | 'responseLimit'>
    /** Charges what is read and not run. @default nothing */
    limits?: Pick<CallLimits, 'charge'> | undefined
    /** @default nothing */
    trace?: {
      /** Wraps each batch. */
      batch?: AroundBatch | undefined
      /** Called once for each request, for the log. Omit it when the log is off. */
      request?:
        | ((request: { bytes: number; calls: ObservedCall[]; ms: number }) => void)
        | undefined
    }
  }
}

type Parts = Pick<createRpcServer.Options, 'config' | 'limits' | 'trace'> & { dispatch: Dispatch }

function answerGiven(
  parts: Parts,
  given: string | Buffer,
  shared: Shared,
): PromiseLike<Answer | undefined> {
  const text = given.toString()
  // Invalid UTF-8 is not JSON. Replacement characters would change an id that is sent back.
  if (typeof given !== 'string' && text.includes(REPLACEMENT) && !isUtf8(given)) {
    const what = shared.request.socket ? 'message' : 'body'
    return refused(parts, shared, unreadable(`the ${what} is not UTF-8`))
  }
  if (text.length > LARGE_BODY) {
    // Parsing a large body takes long, also if it is refused then.
    charge(parts, shared, bytesPrice(text.length))
    if (timeSlice.isOver())
      return timeSlice.next(shared.request).then(() => answerText(parts, text, shared))
  }
  return answerText(parts, text, shared)
}

function answerText(parts: Parts, text: string, shared: Shared): PromiseLike<Answer | undefined> {
  const { config, dispatch, trace } = parts
  const { batchLimit, depthLimit } = config
  const { depth, ids } = inspect(text, depthLimit)
  const isTooDeep = depth > depthLimit
  let payload: unknown
  try {
    if (!isTooDeep || text.length <= LARGE_TEXT) payload = JSON.parse(text)
  } catch {
    return refused(parts, shared, PARSE_ERROR)
  }
  if (isTooDeep) {
    const cause = `nesting depth exceeds the maximum allowed ${depthLimit}`
    return refused(parts, shared, unreadable(cause))
  }
  if (!Array.isArray(payload)) return dispatch(payload, ids[0], shared)
  const entries: readonly unknown[] = payload
  if (entries.length === 0) return refused(parts, shared, invalidRequest('empty batch'))
  if (entries.length > batchLimit) {
    // The client expects an array. As in geth, the error has the id of the first call, so that clients that find answers by their ids, as
    // Go's, do not wait.
    const first = entries.findIndex((entry) => !isNotification(entry))
    const error = tooManyCalls(entries.length, batchLimit)
    const answer = errorAnswer(idText(entries[first], ids[first]), error)
    return refused(parts, shared, error, batchAnswer([answer]))
  }
  const work = () => answerBatch(parts, entries, ids, shared)
  return trace?.batch ? trace.batch(entries.length, shared.request, work) : work()
}

async function answerBatch(
  { config, dispatch }: Parts,
  entries: readonly unknown[],
  ids: readonly (string | undefined)[],
  shared: Shared,
): Promise<Answer | undefined> {
  const answers: (Answer | undefined)[] = []
  const grouped: Shared = { ...shared, group: {} }
  let next = 0
  const worker = async () => {
    while (next < entries.length && !shared.request.signal.aborted) {
      const index = next++
      const entry = entries[index]
      if (grouped.left >= 0) answers[index] = await dispatch(entry, ids[index], grouped)
      // The response is already too large, so the remaining entries are not executed.
      else if (!isNotification(entry))
        answers[index] = errorAnswer(idText(entry, ids[index]), tooLarge(config.responseLimit))
    }
  }
  await Promise.all(Array.from({ length: Math.min(BATCH_CONCURRENCY, entries.length) }, worker))
  const sent = answers.filter((answer) => answer !== undefined)
  return sent.length > 0 ? batchAnswer(sent) : undefined
}

/** Answers a request of which no call is run. Reading it was work too. */
function refused(
  parts: Parts,
  shared: Shared,
  error: { code: number; message: string },
  answer = errorAnswer('null', error),
): Promise<Answer> {
  charge(parts, shared, BASE_PRICE)
  return Promise.resolve(answer)
}

function charge({ limits }: Parts, { request: { caller } }: Shared, units: number): void {
  if (caller) limits?.charge(caller, units)
}

/** Wraps a batch of so many entries. Returns its result. */
export type AroundBatch = <result>(
  size: number,
  request: ClientCall,
  work: () => Promise<result>,
) => Promise<result>

/** Entries of one batch in flight: fewer than the sockets of a node (40). */
const BATCH_CONCURRENCY = 16

/** Characters of a request that takes a millisecond to parse. */
const LARGE_BODY = 100_000

/** Characters from which a request that is too deep is not parsed. Parsing a shorter one is fast at any depth. */
const LARGE_TEXT = 5_000

/** What bytes that are not UTF-8 become in a text. It can be in a valid text too. */
const REPLACEMENT = '\uFFFD'
