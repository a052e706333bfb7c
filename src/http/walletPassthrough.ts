import { type Context as HonoContext, Hono } from 'hono'
import { LRUCache } from 'lru-cache'

import { textOf } from '../lib/bodyText.ts'
import type { Call } from '../lib/call.ts'
import { RpcError } from '../lib/errors.ts'
import { createDedupe } from '../native/dedupe.ts'
import {
  decodeMessage,
  NodeLacksApiError,
  NodeFailedError,
  nodeErrorOf,
  NodeRefusedError,
  NodeUnclearError,
  unknownFormat,
} from '../native/errors.ts'
import { immutableUpTo } from '../native/pool/immutable.ts'
import { shownText } from '../native/shownText.ts'
import type { NativePath, NativeReply, NativeTransport } from '../native/transport/transport.ts'
import { stringifyNative } from '../native/wire/json.ts'
import type { Operation } from '../native/wire/operation.ts'
import { sharedOperations, walletOperations } from '../native/wire/operations.ts'
import { parseAnswer } from '../native/wire/parseAnswer.ts'
import { callOf } from './env.ts'

/**
 * `/wallet` and `/walletsolidity` for native libraries, answered by the gateway's nodes: the same routing and limits as for
 * the gateway's own calls. Equal reads in flight are shared, and answers about solidified blocks are cached.
 *
 * Only the operations of the native client are served: they read, build or broadcast. None of them signs or takes
 * a key. Bodies and results are passed on unchanged, and so are the node's own texts but for addresses and keys of nodes, because
 * wallets compare them. Texts of a front end are passed on as far as they may be shown.
 */
export function createWalletPassthrough({
  bodyLimit,
  cacheBytes,
  hidden,
  solid,
  transport,
}: createWalletPassthrough.Options): Hono {
  const dedupe = createDedupe()
  /** Texts of answers. What was parsed of them would take several times their memory. */
  const cache = new LRUCache<string, string>({
    maxSize: Math.max(1, cacheBytes),
    sizeCalculation: (text, key) => text.length + key.length + ENTRY_BYTES,
  })

  /** The text of an answer for a client. @throws RpcError when the answer is an error */
  async function ask(
    { kind, path: name }: AnyOperation,
    path: NativePath,
    body: string | undefined,
    call: Call,
  ): Promise<string> {
    const send = (shared: Call = {}) =>
      transport.send(path, body, {
        ...shared,
        idempotent: kind !== 'send',
        isOfClient: true,
        kind,
      })
    if (kind !== 'read') return shownAnswer(name, await send(call), hidden())
    const key = `${path} ${body ?? ''}`
    const known = cache.get(key)
    if (known !== undefined) return known
    const reply = await dedupe(key, call, send)
    const text = await shownAnswer(name, reply, hidden())
    const newest = solid()
    if (newest !== undefined && immutableUpTo(name, path, body, reply, newest)) cache.set(key, text)
    return text
  }

  async function serve(
    c: HonoContext,
    prefix: 'wallet' | 'walletsolidity',
    table: ReadonlyMap<string, AnyOperation>,
  ) {
    const name = c.req.param('name') ?? ''
    const operation = table.get(name)
    if (!operation)
      return answer(
        c,
        404,
        `${name} is not available: the gateway serves only operations that read, build or broadcast`,
      )
    const { method } = c.req
    // A node answers GET createtransaction with an empty body, and GET broadcasthex with HTTP 405.
    const allow = operation.kind === 'read' && !POST_READS.has(name) ? 'GET, HEAD, POST' : 'POST'
    if (!allow.split(', ').includes(method))
      return answer(c, 405, `${name} takes ${allow} and not ${method}`, { allow })
    const body = method === 'POST' ? await textOf(c.req.raw, bodyLimit, c.get('body')) : undefined
    if (method === 'POST' && body === undefined)
      return answer(c, 413, 'the body is too large', { connection: 'close' })
    // The path of the request can spell the same operation in many ways, such as `/wallet/%67etnowblock`.
    const path: NativePath = `/${prefix}/${operation.path}${new URL(c.req.url).search}`
    try {
      const text = await ask(operation, path, body, callOf(c) ?? { signal: c.req.raw.signal })
      return c.body(text, 200, JSON_TYPE)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const { retryAfter = 1 } = (error.data ?? {}) as { retryAfter?: number }
      if (error instanceof NodeRefusedError)
        return answer(c, 200, [error.exception, error.reason].filter(Boolean).join(' : '))
      // A body that a node cannot read: it names an exception of its code, such as NullPointerException.
      if (error instanceof NodeFailedError && OF_CLASS.test(error.answered))
        return answer(c, 200, without(hidden(), error.answered))
      if (error instanceof NodeUnclearError) return answer(c, 200, 'internal server error')
      if (error instanceof NodeLacksApiError) return answer(c, 404, error.message)
      if (error.code !== BUSY) return answer(c, 503, error.message)
      return answer(c, 429, error.message, { 'retry-after': String(retryAfter) })
    }
  }

  const app = new Hono()
  app.all('/wallet/:name', (c) => serve(c, 'wallet', ofWallet))
  app.all('/walletsolidity/:name', (c) => serve(c, 'walletsolidity', ofSolidity))
  return app
}

export declare namespace createWalletPassthrough {
  type Options = {
    /** Largest request body, bytes. */
    bodyLimit: number
    /** Memory for answers about solidified blocks, bytes. */
    cacheBytes: number
    /** Texts that clients must not see: hosts of nodes, and keys for them. */
    hidden: () => readonly string[]
    /** Height of the solidified block; undefined while it is not known. */
    solid: () => number | undefined
    transport: NativeTransport
  }
}

type AnyOperation = Operation<unknown, unknown>

const byPath = (table: Record<string, AnyOperation>): ReadonlyMap<string, AnyOperation> =>
  new Map(Object.values(table).map((operation) => [operation.path, operation]))

const ofSolidity = byPath(sharedOperations)
const ofWallet = byPath({ ...sharedOperations, ...walletOperations })

/** Reads that a node answers only as POST, like the operations that build or broadcast. */
const POST_READS = new Set([
  'estimateenergy',
  'getaccountbalance',
  'getapprovedlist',
  'getblockbalance',
  'getsignweight',
  'triggerconstantcontract',
])

/** Bytes of a cached answer in addition to its text. */
const ENTRY_BYTES = 200

/** The code of a limit that was exceeded. */
const BUSY = -32005

const JSON_TYPE = { 'content-type': 'application/json;charset=utf-8' }

/**
 * The text of an answer for a client: the received one, unless it has a message that may not be shown.
 *
 * @throws RpcError when the answer is an error
 */
async function shownAnswer(
  operation: string,
  reply: NativeReply,
  hidden: readonly string[],
): Promise<string> {
  const parsed = 'parsed' in reply ? reply.parsed : await parseAnswer(reply.text)
  const error = nodeErrorOf(operation, reply, parsed)
  // The node names the class of an exception.
  if (error instanceof NodeRefusedError && OF_CLASS.test(messageOf(parsed)))
    return without(hidden, reply.text)
  if (error) throw error
  if (typeof parsed !== 'object' || parsed === null) throw unknownFormat(operation)
  const shown = withShownMessages(parsed, hidden)
  return shown === parsed ? reply.text : stringifyNative(shown)
}

/** A text that begins with the class of an exception, with its package. */
const OF_CLASS = /^class (?:[a-z]\w*\.)+[A-Z][\w$]*(?: ?:|$)/

function messageOf(parsed: unknown): string {
  const { Error: message } = (parsed ?? {}) as { Error?: unknown }
  return typeof message === 'string' ? message : ''
}

/** Texts with a path, a name of a host or an address of one are not sentences of the node. */
const OF_FRONT = /[/@]|\d+\.\d+\.\d+\.\d+|\b[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b(?![.(])/

/** The names of exceptions with their packages. */
const CLASSES = /\bclass (?:[a-z]\w*\.)+[A-Z][\w$]*/g

function without(hidden: readonly string[], text: string): string {
  return hidden.reduce((shown, secret) => shown.replaceAll(secret, '…'), text)
}

/** A message for a client: a sentence of the node as it is. */
function shownMessage(text: string, hidden: readonly string[]): string {
  return OF_FRONT.test(text.replaceAll(CLASSES, ''))
    ? shownText(text, 'the node gives no reason that may be shown')
    : without(hidden, text)
}

/** An answer in which the messages, also that of `result`, are as they may be shown; the same object when nothing changes. */
function withShownMessages<part extends { message?: unknown; result?: unknown }>(
  part: part,
  hidden: readonly string[],
): part {
  const { message, result } = part
  const changes: { message?: string; result?: unknown } = {}
  if (typeof message === 'string' && message !== '') {
    const given = decodeMessage(message)
    const shown = shownMessage(given, hidden)
    if (shown !== given)
      changes.message = message === given ? shown : Buffer.from(shown).toString('hex')
  }
  if (typeof result === 'object' && result !== null) {
    const inner = withShownMessages(result, hidden)
    if (inner !== result) changes.result = inner
  }
  return Object.keys(changes).length === 0 ? part : { ...part, ...changes }
}

/** An error in the format of the node, which native libraries read. */
function answer(
  c: HonoContext,
  status: 200 | 404 | 405 | 413 | 429 | 503,
  reason: string,
  headers: Record<string, string> = {},
) {
  return c.body(JSON.stringify({ Error: reason }), status, { ...JSON_TYPE, ...headers })
}
