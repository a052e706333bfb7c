import type { HttpBindings } from '@hono/node-server'
import { type Context as HonoContext, Hono } from 'hono'
import { cors } from 'hono/cors'

import type { Access } from './access.ts'
import type { Health, HealthReader, Seen } from './health.ts'

/** All HTTP routes except JSON-RPC over POST, which `http/rpc.ts` answers before a request reaches this app. */
export type App = Hono<{ Bindings: HttpBindings; Variables: Seen }>

/** The page, probes, metrics, preflight, the WebSocket handshake, and routes of an embedder. */
export function createApp({
  access,
  documents,
  health,
  isOperator,
  metrics,
  page,
  paths,
  routes,
  upgrade,
}: createApp.Options): App {
  const app: App = new Hono({ strict: false })
  const origin = access.variesByOrigin ? (from: string) => access.corsOrigin(from) : '*'
  app.use(cors({ origin, maxAge: PREFLIGHT_SECONDS }))

  app.use((c, next) => {
    c.set('isOperator', isOperator(c))
    return next()
  })
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

  if (upgrade)
    for (const path of paths) app.get(path, (c, next) => (isUpgrade(c) ? upgrade(c) : next()))
  app.get('/', (c, next) => {
    // The page answers requests for HTML.
    if (page && wantsHtml(c)) return next()
    const { chainId = null, version } = health()
    return c.json({ name: 'ethgate', version, chainId, paths })
  })
  if (documents) app.route('/', documents)
  if (page) app.route('/', page)
  if (routes) app.route('/', routes)
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
  return app
}

export declare namespace createApp {
  type Options = {
    access: Access
    /** Descriptions of the API for tools. */
    documents?: Hono | undefined
    health: (reader?: HealthReader) => Health
    /** Whether the addresses of nodes may be shown. */
    isOperator: (context: HonoContext) => boolean
    metrics: { contentType: string; text(): Promise<string> }
    /** Paths of the JSON-RPC. */
    paths: readonly string[]
    /** The pages at `/` and below. Absent when they are off. */
    page?: Hono | undefined
    /** More routes on the same port. */
    routes?: Hono | undefined
    /** Answers a WebSocket handshake. @default as if none was asked for */
    upgrade?: (context: HonoContext) => Promise<Response> | Response
  }
}

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

function isUpgrade(c: HonoContext): boolean {
  return c.req.header('upgrade')?.toLowerCase() === 'websocket'
}
