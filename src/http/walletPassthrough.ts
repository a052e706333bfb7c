import { type Context as HonoContext, Hono } from 'hono'
import { bodyLimit as limitBody } from 'hono/body-limit'
import { LRUCache } from 'lru-cache'

import { RpcError } from '../errors.ts'
import type { StopSignal } from '../lib/stopSignal.ts'
import { createSharing } from '../native/dedupe.ts'
import type { Operation } from '../native/operation.ts'
import { sharedOperations, walletOperations } from '../native/operations.ts'
import { immutableUpTo } from '../native/pool/immutable.ts'
import type { NativePath, NativeReply, NativeTransport } from '../native/transport.ts'

/**
 * `/wallet` and `/walletsolidity` for native libraries, answered by the gateway's nodes: the same routing and limits as for
 * the gateway's own calls. Equal reads in flight are shared, and answers about solidified blocks are cached.
 *
 * Only the operations of the native client are served: they read, build or broadcast. None of them signs or takes
 * a key. Bodies and answers are passed on unchanged.
 */
export function createWalletPassthrough({
  bodyLimit,
  cacheBytes,
  solid,
  transport,
}: createWalletPassthrough.Options): Hono {
  const share = createSharing()
  const cache = new LRUCache<string, NativeReply>({
    maxSize: Math.max(1, cacheBytes),
    sizeCalculation: ({ text }, key) => text.length + key.length + ENTRY_BYTES,
  })

  async function ask(
    { kind, path: name }: AnyOperation,
    path: NativePath,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<NativeReply> {
    const send = (ending: StopSignal | undefined) =>
      transport.send(path, body, { idempotent: kind !== 'send', kind, signal: ending })
    if (kind !== 'read') return send(signal)
    const key = `${path} ${body ?? ''}`
    const known = cache.get(key)
    if (known) return known
    const reply = await share(key, signal, send)
    const newest = solid()
    if (newest !== undefined && immutableUpTo(name, path, body, reply, newest))
      cache.set(key, reply)
    return reply
  }

  async function serve(c: HonoContext, table: ReadonlyMap<string, AnyOperation>) {
    const url = new URL(c.req.url)
    const name = c.req.param('name') ?? ''
    const operation = table.get(name)
    if (!operation || !/^(?:GET|POST)$/.test(c.req.method))
      return answer(
        c,
        404,
        `${name} is not available: the gateway serves only operations that read, build or broadcast`,
      )
    const body = c.req.method === 'POST' ? await c.req.text() : undefined
    const path = `${url.pathname}${url.search}` as NativePath
    try {
      const { status, text } = await ask(operation, path, body, c.req.raw.signal)
      return c.body(text, status as 200, JSON_TYPE)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const { retryAfter = 1 } = (error.data ?? {}) as { retryAfter?: number }
      if (error.code !== BUSY) return answer(c, 503, error.message)
      return answer(c, 429, error.message, { 'retry-after': String(retryAfter) })
    }
  }

  const app = new Hono()
  const limit = limitBody({
    maxSize: bodyLimit,
    onError: (c) => answer(c, 413, 'the body is too large'),
  })
  app.all('/wallet/:name', limit, (c) => serve(c, ofWallet))
  app.all('/walletsolidity/:name', limit, (c) => serve(c, ofSolidity))
  return app
}

export declare namespace createWalletPassthrough {
  type Options = {
    /** Largest request body, bytes. */
    bodyLimit: number
    /** Memory for answers about solidified blocks, bytes. */
    cacheBytes: number
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

/** Bytes of a cached answer in addition to its text. */
const ENTRY_BYTES = 200

/** The code of a limit that was exceeded. */
const BUSY = -32005

const JSON_TYPE = { 'content-type': 'application/json;charset=utf-8' }

/** An error in the format of the node, which native libraries read. */
function answer(
  c: HonoContext,
  status: 404 | 413 | 429 | 503,
  reason: string,
  headers: Record<string, string> = {},
) {
  return c.body(JSON.stringify({ Error: reason }), status, { ...JSON_TYPE, ...headers })
}
