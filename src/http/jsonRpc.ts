import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'

import { BodyTooLargeError, TooMuchHeldError } from '../lib/bodyText.ts'
import { timeSlice } from '../lib/timeSlice.ts'
import type { CallLimits } from '../limits/limits.ts'
import { answerPrice } from '../limits/prices.ts'
import { LimitReachedError, refusalHeaders, statusOf } from '../limits/refusal.ts'
import { type Answer, batchAnswer, errorAnswer, refusedAnswer } from '../rpc/jsonrpc/answer.ts'
import { PARSE_ERROR } from '../rpc/jsonrpc/failures.ts'
import type { RpcServer } from '../rpc/jsonrpc/server.ts'
import { ClientGoneError, type ClientCall } from '../rpc/request.ts'
import type { Access } from './access.ts'
import { type Body, dropBody, type ReadBody } from './body.ts'
import type { Closing } from './closing.ts'
import { codingOf, sendCompressed } from './compress.ts'
import type { RequestContext } from './env.ts'
import { httpCall } from './scope.ts'
import { sendAnswer } from './send.ts'
import { ACCEPTED_CODINGS, BrokenBodyError, UnknownCodingError } from './unpack.ts'
import type { Unsent } from './unsent.ts'

/** Answers a POST to a view of the chain. */
export type JsonRpcRoute = (server: RpcServer) => (c: RequestContext) => Promise<Response>

/**
 * The route of JSON-RPC: reads the body, passes its text to the server, writes the answer. It accepts any content type. Body and answer
 * use node's own request and response, because web streams take longer than a call that is answered from memory, and do not say how
 * much of an answer its client has read.
 */
export function createJsonRpcRoute({
  access,
  bodyLimit,
  closing,
  compression,
  explain,
  limits,
  onError,
  readBody,
  unsent,
}: createJsonRpcRoute.Options): JsonRpcRoute {
  return (server) => async (c) => {
    const { incoming } = c.env
    const caller = c.get('caller')
    let body: Body | undefined
    try {
      body = await readBody(incoming, caller)
      const started = performance.now()
      const refused = limits.refusal(caller)
      if (refused) send(c, refusedRequest(body.bytes, refused))
      else {
        const { answer, headers } = await answerTo(c, body.bytes, server)
        // All requests that have arrived are read before the first answer is written. Otherwise each answer wakes one client, which
        // sends one request, and every request costs both processes a wake-up. With 32 clients this halves the time of a cached call.
        timeSlice.first((now) => {
          try {
            const more = ['server-timing', timingOf(now - started)]
            send(c, answer, headers ? [...more, ...Object.entries(headers).flat()] : more)
          } catch (error) {
            fail(c, error)
          }
        })
      }
    } catch (error) {
      fail(c, error)
    } finally {
      body?.end()
    }
    return RESPONSE_ALREADY_SENT
  }

  async function answerTo(c: RequestContext, bytes: Buffer, server: RpcServer): Promise<Explained> {
    const caller = c.get('caller')
    const text = bytes.toString()
    // Invalid UTF-8 is not JSON. Replacement characters would change an id that is sent back.
    if (text.includes(REPLACEMENT) && !isUtf8(bytes)) {
      limits.charge(caller, answerPrice(bytes.length))
      return { answer: errorAnswer('null', unreadable('the body is not UTF-8')) }
    }
    const call = httpCall(c.env, caller, onError)
    const work = () => server.answer(text, call)
    return asksToExplain(c.env.incoming) ? explain(work, call) : { answer: await work() }
  }

  /** @param more - headers, a name and a value in turn */
  function send(
    c: RequestContext,
    answer: Answer | undefined,
    more: readonly string[] = [],
    status = 200,
  ) {
    const { incoming, outgoing } = c.env
    if (outgoing.destroyed) return
    closing.mark(incoming, outgoing)
    const cors = access.corsHeaders(incoming)
    if (!answer) {
      outgoing.writeHead(204, [...more, ...cors]).end()
      return
    }
    const { id, limits: own } = c.get('caller')
    const { refused } = answer
    const coding = compression ? codingOf(incoming, answer) : undefined
    const headers = ['content-type', 'application/json']
    // The length of a compressed answer is not known yet.
    if (coding) headers.push('content-encoding', coding.name, 'vary', 'Accept-Encoding')
    else headers.push('content-length', String(answer.bytes))
    headers.push(...more, ...cors)
    if (refused) headers.push(...Object.entries(refusalHeaders(refused, own)).flat())
    outgoing.writeHead(refused ? statusOf(refused) : status, headers)
    if (coding) sendCompressed(outgoing, answer, coding, id, unsent)
    else sendAnswer(outgoing, answer, id, unsent)
  }

  function fail(c: RequestContext, error: unknown) {
    const { incoming, outgoing } = c.env
    if (error instanceof ClientGoneError) return
    // Its body is read: it waited to be unpacked.
    if (error instanceof LimitReachedError) return send(c, refusedAnswer('null', error))
    const rejection = rejectionOf(incoming, error)
    if (!rejection || outgoing.destroyed) {
      onError(error, 'a request failed')
      outgoing.destroy()
      return
    }
    // Unpacking charges by itself.
    if (incoming.headers['content-encoding'] === undefined)
      limits.charge(c.get('caller'), answerPrice(bodyLimit))
    const { error: shown, status } = rejection
    const more = status === 415 ? ['accept-encoding', ACCEPTED_CODINGS] : []
    send(c, errorAnswer('null', shown), more, status)
    dropBody(incoming)
  }
}

export declare namespace createJsonRpcRoute {
  type Options = {
    access: Pick<Access, 'corsHeaders'>
    /** Largest body, bytes. */
    bodyLimit: number
    closing: Pick<Closing, 'mark'>
    /** Whether large answers are compressed for clients that accept it. */
    compression: boolean
    /** Answers a request and adds headers that explain the answer. */
    explain: (work: () => Promise<Answer | undefined>, call: ClientCall) => Promise<Explained>
    limits: Pick<CallLimits, 'charge' | 'refusal'>
    onError: (error: unknown, message: string) => void
    readBody: ReadBody
    /** Answers that clients have not yet read. */
    unsent: Unsent
  }
}

/** An answer, with headers that explain it when the client asks for them. */
export type Explained = { answer: Answer | undefined; headers?: Record<string, string> }

/** The status and the error for a body that cannot be used; undefined for another failure. */
function rejectionOf({ headers }: IncomingMessage, error: unknown) {
  if (error instanceof BodyTooLargeError)
    return { status: 413, error: { code: -32600, message: error.message } }
  if (error instanceof TooMuchHeldError)
    return { status: 429, error: { code: error.code, message: error.message } }
  const isUnknown = error instanceof UnknownCodingError
  if (!isUnknown && !(error instanceof BrokenBodyError)) return undefined
  const coding = headers['content-encoding']?.slice(0, 32)
  const cause = `a request body with content-encoding ${coding} is not supported or broken`
  return { status: isUnknown ? 415 : 200, error: unreadable(cause) }
}

function unreadable(cause: string) {
  return { ...PARSE_ERROR, message: `${PARSE_ERROR.message}: ${cause}` }
}

/** The answer to a request that is not read: an array for a batch. */
function refusedRequest(body: Buffer, refused: LimitReachedError): Answer {
  const answer = refusedAnswer('null', refused)
  return body[0] === BRACKET ? { ...batchAnswer([answer]), refused } : answer
}

const BRACKET = 0x5b

/** `X-Ethgate-Explain: 1`, or `?explain=1` in the address. */
function asksToExplain({ headers, url = '' }: IncomingMessage): boolean {
  if (headers['x-ethgate-explain'] === '1') return true
  return url.includes('?') && /[?&]explain=1(?:&|$)/.test(url)
}

/** What bytes that are not UTF-8 become in a text. It can be in a valid text too. */
const REPLACEMENT = '\uFFFD'

/** The value of Server-Timing. The texts of short times are made once, because writing a fraction takes long. */
function timingOf(ms: number): string {
  return TIMINGS[Math.round(ms * 10)] ?? `total;dur=${ms.toFixed(1)}`
}

/** Up to 10 ms. */
const TIMINGS = Array.from({ length: 101 }, (_, tenths) => `total;dur=${(tenths / 10).toFixed(1)}`)
