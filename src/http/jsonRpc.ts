import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'

import type { Config } from '../config/config.ts'
import { BodyTooLargeError, TooMuchHeldError } from '../lib/bodyText.ts'
import { timeSlice } from '../lib/timeSlice.ts'
import { answerPrice } from '../limits/prices.ts'
import { LimitReachedError, refusalHeaders, statusOf } from '../limits/refusal.ts'
import { asksToExplain } from '../rpc/explain/headers.ts'
import { type Answer, batchAnswer, errorAnswer, refusedAnswer } from '../rpc/jsonrpc/answer.ts'
import { errorOf, unreadable } from '../rpc/jsonrpc/failures.ts'
import type { RpcServer } from '../rpc/jsonrpc/server.ts'
import { ClientGoneError, type ClientCall } from '../rpc/request.ts'
import type { Access } from './access.ts'
import { createReadBody } from './body.ts'
import type { Closing } from './closing.ts'
import { codingOf, sendCompressed } from './compress.ts'
import type { RequestContext } from './env.ts'
import { httpCall } from './scope.ts'
import { sendAnswer } from './send.ts'
import { ACCEPTED_CODINGS, type Body, CodingError, type createUnpack } from './unpack.ts'
import type { Unsent } from './unsent.ts'

/**
 * The route of JSON-RPC: reads the body, passes its text to the server, writes the answer. It accepts any content type. Body and answer
 * use node's own request and response, because web streams take longer than a call that is answered from memory, and do not say how
 * much of an answer its client has read.
 */
export function createJsonRpcRoute(options: createJsonRpcRoute.Options) {
  const { access, closing, config, explain, limits, onError, unsent } = options
  const readBody = createReadBody(options)
  return (server: RpcServer) => async (c: RequestContext) => {
    const { incoming } = c.env
    const caller = c.get('caller')
    let body: Body | undefined
    try {
      body = await readBody(incoming, caller)
      const { bytes } = body
      const started = performance.now()
      const refused = limits.refusal(caller)
      if (refused) throw refused
      const call = httpCall(c.env, caller, onError)
      const { answer, headers }: Explained = asksToExplain(incoming)
        ? await explain(async () => server.answer(bytes, call), call)
        : { answer: await server.answer(bytes, call) }
      // All requests that have arrived are read first, and their answers are written together. Otherwise client and server are woken
      // for each request. With 32 clients this halves the time of a cached call.
      timeSlice.first((now) => {
        try {
          const more = ['server-timing', `total;dur=${(now - started).toFixed(1)}`]
          if (headers) more.push(...Object.entries(headers).flat())
          send(c, answer, more)
        } catch (error) {
          fail(c, error)
        }
      })
    } catch (error) {
      fail(c, error, body)
    } finally {
      body?.hold?.end()
    }
    return RESPONSE_ALREADY_SENT
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
    closing.mark(c.env)
    const cors = access.corsHeaders(incoming)
    if (!answer) {
      outgoing.writeHead(204, [...more, ...cors]).end()
      return
    }
    const { id, limits: own } = c.get('caller')
    const { refused } = answer
    const coding = config.compression ? codingOf(incoming, answer) : undefined
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

  /** @param body - absent when it could not be read */
  function fail(c: RequestContext, error: unknown, body?: Body) {
    const { incoming, outgoing } = c.env
    if (error instanceof ClientGoneError) return
    if (error instanceof LimitReachedError) {
      const answer = refusedAnswer('null', error)
      // A batch is answered by an array.
      const isBatch = body?.bytes[0] === BRACKET
      return send(c, isBatch ? { ...batchAnswer([answer]), refused: error } : answer)
    }
    const coding = incoming.headers['content-encoding']
    const rejection = rejectionOf(error, coding)
    if (!rejection || outgoing.destroyed) {
      onError(error, 'a request failed')
      outgoing.destroy()
      return
    }
    // Unpacking charges by itself.
    if (coding === undefined) limits.charge(c.get('caller'), answerPrice(config.bodyLimit))
    const { error: shown, status } = rejection
    const more = status === 415 ? ['accept-encoding', ACCEPTED_CODINGS] : []
    // @hono/node-server reads the rest of the body and drops it. Many clients do not read the answer if the connection closes at once.
    send(c, errorAnswer('null', shown), more, status)
  }
}

export declare namespace createJsonRpcRoute {
  type Options = createUnpack.Options & {
    access: Pick<Access, 'corsHeaders'>
    closing: Pick<Closing, 'mark'>
    config: Pick<Config, 'compression'>
    /** Answers a request and adds headers that explain the answer. */
    explain: (work: () => Promise<Answer | undefined>, call: ClientCall) => Promise<Explained>
    onError: (error: unknown, message: string) => void
    /** Answers that clients have not yet read. */
    unsent: Unsent
  }
}

/** An answer, with headers that explain it when the client asks for them. */
export type Explained = { answer: Answer | undefined; headers?: Record<string, string> }

/** The status and the error for a body that cannot be used; undefined for another failure. */
function rejectionOf(error: unknown, coding: string | undefined) {
  if (error instanceof BodyTooLargeError)
    return { status: 413, error: { code: -32600, message: error.message } }
  if (error instanceof TooMuchHeldError) return { status: 429, error: errorOf(error) }
  if (!(error instanceof CodingError)) return undefined
  const cause = `a request body with content-encoding ${coding?.slice(0, 32)} is not supported or broken`
  return { status: error.status, error: unreadable(cause) }
}

const BRACKET = 0x5b
