import { type Context as HonoContext, Hono } from 'hono'
import { cors } from 'hono/cors'

import type { Config } from '../config/config.ts'
import { TooMuchHeldError } from '../lib/bodyText.ts'
import type { RpcServer } from '../rpc/jsonrpc/server.ts'
import { type Access, checkAccess, isLocal } from './access.ts'
import { identify, type RequestCallers } from './callers.ts'
import { charge } from './charge.ts'
import type { Env, Middleware } from './env.ts'
import type { Health, HealthReader } from './health.ts'
import { type InTurn, takeTurns } from './inTurn.ts'
import { createJsonRpcRoute } from './jsonRpc.ts'
import { refused } from './refuse.ts'

/** All routes of one port. */
export type App = Hono<Env>

/** A path of JSON-RPC and its server: each view of the chain has its own path. */
export type RpcRoute = { path: string; server: RpcServer }

/**
 * The public port, in the order in which a request meets it: what every request passes, JSON-RPC, then pages and operations, which cost
 * units. `readTarget` has run before, and `guardUpgrades` for WebSockets.
 */
export function createApp(options: createApp.Options): App {
  const { access, callers, closing, config, extraRoutes, inTurn, reads, routes } = options
  const jsonRpc = createJsonRpcRoute(options)
  const app: App = new Hono({ strict: false })
  for (const { path } of routes) app.get(path, options.upgrade)
  app.use(takeTurns(inTurn), checkAccess(access))
  // Before the caller is looked for: they need no API key to be hidden.
  if (config.adminPort !== undefined) for (const path of ADMIN_PATHS) app.all(path, hidden)
  app.use(identify(callers, access))
  for (const { path, server } of routes) app.post(path, jsonRpc(server))
  app.use((c, next) => {
    // A JSON-RPC answer gets the header `Connection: close` when it is written.
    closing.mark(c.env)
    c.set('isOperator', isLocal(c.env.incoming))
    return next()
  })
  app.use(cors({ origin: access.corsOrigin, maxAge: PREFLIGHT_SECONDS }))
  addProbes(app, reads)
  app.use(charge(options), onlyPlainBodies)
  addPages(app, reads, extraRoutes)
  app.onError((error) => {
    if (!(error instanceof TooMuchHeldError)) throw error
    const { code, message: reason } = error
    return refused({ code, reason, status: 429 })
  })
  return app
}

export declare namespace createApp {
  type Options = createJsonRpcRoute.Options &
    charge.Options & {
      access: Access
      callers: RequestCallers
      config: Pick<Config, 'adminPort'>
      /** More routes on the same port. */
      extraRoutes?: Hono | undefined
      inTurn: InTurn
      reads: Reads
      routes: readonly RpcRoute[]
      /** Answers a WebSocket handshake. Other requests go to the next handler. */
      upgrade: Middleware
    }
}

/** The admin port: pages and metrics, without calls, callers and prices. */
export function createAdminApp(access: Access, reads: Reads): App {
  const app: App = new Hono({ strict: false })
  app.use(async (c, next) => {
    c.set('isOperator', true)
    return c.req.method === 'GET' || c.req.method === 'HEAD' ? next() : refused(ONLY_READS)
  })
  app.use(checkAccess(access))
  app.use(cors({ origin: access.corsOrigin, maxAge: PREFLIGHT_SECONDS }))
  addProbes(app, reads)
  addPages(app, reads)
  return app
}

/** Pages and operations take bodies without a coding only; one with a coding would be read as text. */
const onlyPlainBodies: Middleware = async (c, next) => {
  const coding = c.req.header('content-encoding')
  if (coding === undefined || coding.toLowerCase() === 'identity') return next()
  const refusal = { reason: 'a body with a content-encoding is not supported here', status: 415 }
  return refused(refusal, ['accept-encoding', 'identity'])
}

/** What a port has to read. */
export type Reads = {
  /** Descriptions of the API for tools. */
  documents?: Hono | undefined
  health: (reader?: HealthReader) => Health
  metrics: { contentType: string; text(): Promise<string> }
  /** The pages at `/` and below. Absent when they are off. */
  page?: Hono | undefined
  /** Paths of the JSON-RPC. */
  paths: readonly string[]
}

/** What load balancers and monitoring ask: free, and for any Host. */
function addProbes(app: App, { health, metrics }: Reads): void {
  app.get('/health', (c) => {
    const state = health(c.var.isOperator ? 'operator' : 'client')
    return c.json(state, state.status === 'ok' || state.status === 'degraded' ? 200 : 503)
  })
  app.get('/ready', (c) => {
    const { ready } = health()
    return c.json({ ready }, ready ? 200 : 503)
  })
  app.get('/metrics', async (c) =>
    c.text(await metrics.text(), 200, { 'content-type': metrics.contentType }),
  )
}

function addPages(app: App, { documents, health, page, paths }: Reads, routes?: Hono): void {
  app.get('/', (c, next) => {
    // The page answers requests for HTML.
    if (page && wantsHtml(c)) return next()
    const { chainId = null, version } = health()
    return c.json({ name: 'ethgate', version, chainId, paths })
  })
  for (const more of [documents, page, routes]) if (more) app.route('/', more)
  for (const path of paths)
    app.all(path, (c) =>
      c.json({ error: 'JSON-RPC needs POST or a WebSocket' }, 405, {
        allow: 'POST, OPTIONS',
      }),
    )
  app.notFound((c) => {
    // A browser gets what the search finds for the path.
    if (page && wantsHtml(c) && c.req.method === 'GET')
      return page.fetch(new Request(searchUrl(c), { headers: c.req.raw.headers }), c.env)
    return c.json({ error: `nothing is served at ${c.req.path}` }, 404)
  })
}

/** Paths that only the admin port serves, if there is one. */
const ADMIN_PATHS = ['/metrics', '/state', '/page/state']

const hidden = () => refused({ reason: 'served at --admin-port', status: 404 })

const ONLY_READS = { reason: 'the admin port takes no calls', status: 405 }

/** Seconds that browsers may cache a preflight answer: the longest that they accept. */
const PREFLIGHT_SECONDS = 86_400

function wantsHtml(c: HonoContext): boolean {
  return c.req.header('accept')?.includes('text/html') === true
}

function searchUrl(c: HonoContext): URL {
  const url = new URL('/search', c.req.url)
  url.searchParams.set('q', c.req.path.slice(1))
  return url
}
