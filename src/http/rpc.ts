import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { DROP_LIMIT } from '../lib/bodyText.ts'
import { timeSlice } from '../lib/timeSlice.ts'
import type { Caller } from '../limits/caller.ts'
import type { CallLimits } from '../limits/limits.ts'
import { answerPrice } from '../limits/prices.ts'
import { type LimitReachedError, refusalHeaders, statusOf } from '../limits/refusal.ts'
import { type Answer, batchAnswer, errorAnswer, refusedAnswer } from '../rpc/jsonrpc/answer.ts'
import { PARSE_ERROR } from '../rpc/jsonrpc/failures.ts'
import type { RpcServer } from '../rpc/jsonrpc/server.ts'
import type { RequestScope } from '../rpc/request.ts'
import { codingOf, decompress, sendCompressed } from './compress.ts'
import type { RequestMessage } from './requestMessage.ts'
import { createHttpScopes } from './scope.ts'
import { sendAnswer } from './send.ts'
import type { Unsent } from './unsent.ts'

/** Answers a POST with node's own request and response objects. Creating a Request object takes longer than a cached answer. */
export type RpcListener = (
  incoming: RequestMessage,
  outgoing: ServerResponse,
  server: RpcServer,
  caller: Caller,
) => void

/** Reads the body, passes it to the server, writes the answer. Accepts any content type. */
export function createRpcListener({
  bodyLimit,
  compression,
  corsHeaders,
  explain,
  isClosing,
  limits,
  onError,
  unsent,
}: createRpcListener.Options): RpcListener {
  const scopeOf = createHttpScopes({ onError })
  const atTurnEnd = createTurnEnd(onError)

  return (incoming, outgoing, server, caller) => {
    if (Number(incoming.headers['content-length'] ?? 0) > bodyLimit)
      return tooLarge(incoming, outgoing, caller)
    const refuse = (body: Buffer | 'broken', refused: LimitReachedError) =>
      send(incoming, outgoing, refusedRequest(body, refused), caller, [])

    incoming.collect(bodyLimit, (bytes) => {
      if (bytes === undefined) return tooLarge(incoming, outgoing, caller)
      if (incoming.headers['content-encoding'] === undefined) return serve(bytes)
      // Unpacking is work too.
      const refused = limits.refusal(caller)
      if (refused) return refuse('broken', refused)
      return decompress(incoming, bytes, bodyLimit, (body) =>
        body === 'too large' ? tooLarge(incoming, outgoing, caller) : serve(body),
      )
    })

    function serve(body: Buffer | 'broken') {
      if (outgoing.destroyed) return
      const refused = limits.refusal(caller)
      if (refused) return refuse(body, refused)
      const started = performance.now()
      const scope = scopeOf(incoming, outgoing, caller)
      const text = body.toString()
      const work = () => server.answer(text, scope)
      const respond = (answer: Answer | undefined, more?: Record<string, string>) =>
        atTurnEnd((now) => {
          const timing = ['server-timing', timingOf(now - started)]
          if (more) timing.push(...Object.entries(more).flat())
          send(incoming, outgoing, answer, caller, timing)
        })
      const fail = (error: unknown) => {
        onError(error, 'a request failed')
        outgoing.destroy()
      }
      // Invalid UTF-8 is not JSON. Replacement characters would change an id that is sent back.
      if (body === 'broken' || (text.includes(REPLACEMENT) && !isUtf8(body))) {
        limits.charge(caller, answerPrice(body.length))
        respond(errorAnswer('null', notText(incoming)))
      } else if (asksToExplain(incoming))
        explain(async () => work(), scope).then(
          ({ answer, headers }) => respond(answer, headers),
          fail,
        )
      else {
        try {
          const answered = work()
          if (answered instanceof Promise) answered.then((answer) => respond(answer), fail)
          else respond(answered)
        } catch (error) {
          fail(error)
        }
      }
    }
  }

  /** @param more - headers, a name and a value in turn */
  function send(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    answer: Answer | undefined,
    caller: Caller,
    more: readonly string[],
  ) {
    if (outgoing.destroyed) return
    outgoing.shouldKeepAlive &&= !isClosing(incoming)
    if (!answer) {
      outgoing.writeHead(204, [...more, ...corsHeaders(incoming)])
      outgoing.end()
      return
    }
    const { refused } = answer
    const coding = compression ? codingOf(incoming, answer) : undefined
    const headers = coding ? codedHeaders(coding.name) : jsonHeaders(answer)
    headers.push(...more, ...corsHeaders(incoming))
    if (refused) headers.push(...Object.entries(refusalHeaders(refused, caller.limits)).flat())
    outgoing.writeHead(refused ? statusOf(refused) : 200, headers)
    if (coding) sendCompressed(outgoing, answer, coding, unsent)
    else sendAnswer(outgoing, answer, unsent)
  }

  /**
   * Answers 413 and discards the rest of the body, because many clients do not read the answer if the connection closes at
   * once.
   */
  function tooLarge(incoming: IncomingMessage, outgoing: ServerResponse, caller: Caller) {
    limits.charge(caller, answerPrice(bodyLimit))
    const message = `Request body exceeds the limit of ${bodyLimit} bytes`
    const answer = errorAnswer('null', { code: -32600, message })
    outgoing.writeHead(413, [...jsonHeaders(answer), ...corsHeaders(incoming)])
    outgoing.end(answer.parts[0])
    let dropped = 0
    incoming.on('data', (chunk: Buffer) => {
      dropped += chunk.length
      if (dropped > DROP_LIMIT) incoming.destroy()
    })
    incoming.resume()
  }
}

export declare namespace createRpcListener {
  type Options = {
    /** Largest body, bytes. */
    bodyLimit: number
    /** Whether large answers are compressed for clients that accept it. */
    compression: boolean
    /** CORS headers of an answer, a name and a value in turn. */
    corsHeaders: (incoming: IncomingMessage) => readonly string[]
    /** Answers a request and adds headers that explain the answer. */
    explain: (work: () => Promise<Answer | undefined>, scope: RequestScope) => Promise<Explained>
    /** Whether the next answer closes its connection. */
    isClosing: (incoming: IncomingMessage) => boolean
    limits: Pick<CallLimits, 'charge' | 'refusal'>
    onError: (error: unknown, message: string) => void
    /** Answers that clients have not yet read. */
    unsent: Unsent
  }
}

/** An answer, with headers that explain it when the client asks for them. */
export type Explained = { answer: Answer | undefined; headers?: Record<string, string> }

/** The answer to a request that is not read: an array for a batch. */
function refusedRequest(body: Buffer | 'broken', refused: LimitReachedError): Answer {
  const answer = refusedAnswer('null', refused)
  return body[0] === BRACKET ? { ...batchAnswer([answer]), refused } : answer
}

const BRACKET = 0x5b

/** `X-Ethgate-Explain: 1`, or `?explain=1` in the address. */
function asksToExplain({ headers, url = '' }: IncomingMessage): boolean {
  if (headers['x-ethgate-explain'] === '1') return true
  return url.includes('?') && /[?&]explain=1(?:&|$)/.test(url)
}

/** The error for a body that is not UTF-8, which bodies of an unknown coding never are. */
function notText({ headers }: IncomingMessage) {
  const encoding = headers['content-encoding']
  const cause = encoding
    ? `a request body with content-encoding ${encoding.slice(0, 32)} is not supported or broken`
    : 'the body is not UTF-8'
  return { ...PARSE_ERROR, message: `${PARSE_ERROR.message}: ${cause}` }
}

function jsonHeaders({ bytes }: Answer): string[] {
  return ['content-type', 'application/json', 'content-length', String(bytes)]
}

/** The same for an answer whose length is known after it was compressed. */
function codedHeaders(coding: string): string[] {
  return ['content-type', 'application/json', 'content-encoding', coding, 'vary', 'Accept-Encoding']
}

/** What bytes that are not UTF-8 become in a text. It can be in a valid text too. */
const REPLACEMENT = '\uFFFD'

/** The value of Server-Timing. The texts of short times are made once, because writing a fraction takes long. */
function timingOf(ms: number): string {
  return TIMINGS[Math.round(ms * 10)] ?? `total;dur=${ms.toFixed(1)}`
}

/** Up to 10 ms. */
const TIMINGS = Array.from({ length: 101 }, (_, tenths) => `total;dur=${(tenths / 10).toFixed(1)}`)

/**
 * Runs steps together at the end of an event loop tick, so that all requests that have arrived are read before the first
 * answer is written. Otherwise each answer wakes one client, which sends one request, and every request costs both processes
 * a wake-up. With 32 clients this halves the time of a cached call. Long work comes after them. Each step gets the time in
 * milliseconds.
 */
function createTurnEnd(
  onError: (error: unknown, message: string) => void,
): (step: (now: number) => void) => void {
  let steps: ((now: number) => void)[] = []
  const run = () => {
    const due = steps
    steps = []
    const now = performance.now()
    for (const step of due)
      try {
        step(now)
      } catch (error) {
        onError(error, 'a response could not be written')
      }
  }
  return (step) => {
    if (steps.push(step) === 1) timeSlice.first(run)
  }
}
