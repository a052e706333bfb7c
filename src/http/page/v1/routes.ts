import { type Context, Hono } from 'hono'

import { RpcError } from '../../../lib/errors.ts'
import { stringifyNative } from '../../../native/wire/json.ts'
import type { Source } from '../reads/source.ts'
import { account, tokenTransfers, transactions } from './accounts.ts'
import { type Answered, AskedError, type View } from './asked.ts'
import { blockEvents, contractEvents, transactionEvents } from './events.ts'

/** The paths and what answers them. */
const VIEWS: Readonly<Record<string, View>> = {
  '/v1/accounts/:id': account,
  '/v1/accounts/:id/transactions': transactions,
  '/v1/accounts/:id/transactions/trc20': tokenTransfers,
  '/v1/blocks/:id/events': blockEvents,
  '/v1/contracts/:id/events': contractEvents,
  '/v1/transactions/:id/events': transactionEvents,
}

/**
 * The API of the public service beside a node, which native libraries and wallets use: `{data, success, meta}`.
 *
 * @param sourceOf - what is read, charged to the client of the request
 */
export function v1Routes({ now, sourceOf }: v1Routes.Options): Hono {
  const app = new Hono()
  // Libraries ask whether the service is there.
  app.get('/healthcheck', (c) => c.text('OK'))
  for (const [path, view] of Object.entries(VIEWS))
    app.get(path, async (c) => {
      const param = (name: string) =>
        c.req.query(name) ??
        c.req.query(name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))
      try {
        const answered = await view({ id: c.req.param('id') ?? '', param }, sourceOf(c))
        return json(c, 200, body(c, answered))
      } catch (error) {
        const status = error instanceof AskedError ? 400 : statusOf(error)
        return json(c, status, {
          success: false,
          error: (error as Error).message,
          statusCode: status,
        })
      }
    })

  function body(c: Context, { data, next, searched }: Answered) {
    const url = new URL(c.req.url)
    if (next !== undefined) url.searchParams.set('fingerprint', next)
    return {
      data,
      success: true,
      meta: {
        at: now(),
        ...(next !== undefined && { fingerprint: next, links: { next: url.toString() } }),
        page_size: data.length,
        ...(searched && { searched }),
      },
    }
  }

  return app
}

export declare namespace v1Routes {
  type Options = {
    /** Milliseconds. */
    now: () => number
    sourceOf: (c: Context) => Source
  }
}

/** An int64 of the node is written as it is. */
const json = (c: Context, status: 200 | 400 | 429 | 503, value: object) =>
  c.body(stringifyNative(value), status, { 'content-type': 'application/json' })

/** @throws the error itself when it is a fault of this program */
function statusOf(error: unknown): 400 | 429 | 503 {
  if (!(error instanceof RpcError)) throw error
  if (error.code === -32603) return 503
  return error.code === -32005 || error.code === -32029 ? 429 : 400
}
