import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'

import type { Call } from '../lib/call.ts'
import type { Hold } from '../lib/heldBytes.ts'
import type { Caller } from '../limits/caller.ts'
import type { Seen } from './health.ts'

/** What a request of the app carries: node's own request and response, and what middleware found out. */
export type Env = {
  Bindings: HttpBindings & {
    /** What a page or an operation is read for: its caller pays. Absent where nobody pays. */
    call?: Call
  }
  Variables: Seen & {
    /** Who makes the request: this process for what is free. */
    caller: Caller
    /** Holds the body of a request that is not JSON-RPC. */
    body: Hold
  }
}

/** What a page or an operation is read for. */
export function callOf(c: { env: unknown }): Call | undefined {
  return (c.env as Env['Bindings'] | undefined)?.call
}

/** One concern of every request. */
export type Middleware = MiddlewareHandler<Env>

export type RequestContext = Context<Env>
