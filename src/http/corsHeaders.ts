import type { IncomingMessage } from 'node:http'

import type { Access } from './access.ts'

/** The CORS headers of an answer that is written with node's own response: a name and a value in turn. */
export type CorsHeaders = (incoming: IncomingMessage) => readonly string[]

/** Creates the CORS headers of JSON-RPC. The other routes have those of Hono, which are the same. */
export function corsHeadersFor(access: Access): CorsHeaders {
  const all = ['access-control-allow-origin', '*']
  if (!access.variesByOrigin) return () => all
  return ({ headers }) => {
    const allowed = access.corsOrigin(headers.origin)
    return allowed === undefined
      ? ['vary', 'Origin']
      : ['access-control-allow-origin', allowed, 'vary', 'Origin']
  }
}
