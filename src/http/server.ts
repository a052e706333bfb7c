import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { type AddressInfo, Server as NetServer } from 'node:net'

import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'

import type { Config } from '../config/config.ts'
import { sleep as realSleep } from '../lib/sleep.ts'
import { timeSlice } from '../lib/timeSlice.ts'
import { type Caller, IN_PROCESS } from '../limits/caller.ts'
import type { CallLimits } from '../limits/limits.ts'
import { refusalHeaders, statusOf } from '../limits/refusal.ts'
import { errorAnswer } from '../rpc/jsonrpc/answer.ts'
import type { RpcServer } from '../rpc/jsonrpc/server.ts'
import { type Access, createAccess, isLoopback, isProbe, type Refusal } from './access.ts'
import { createApp } from './app.ts'
import type { Health, HealthReader } from './health.ts'
import { createIdentity } from './identity.ts'
import { createInTurn } from './inTurn.ts'
import { isLocal } from './local.ts'
import { normalisePath, pathOf } from './path.ts'
import { RequestMessage } from './requestMessage.ts'
import { createRpcListener } from './rpc.ts'
import { meterFor } from './scope.ts'
import { openTlsFiles } from './tls.ts'
import type { Unsent } from './unsent.ts'
import { guardUpgrades } from './upgrade.ts'
import { createWsServer } from './ws.ts'

/** A path of JSON-RPC and its server: each view of the chain has its own path. */
export type RpcRoute = { path: string; server: RpcServer }

/** One port: JSON-RPC over POST and WebSocket, the page, probes and metrics. */
export type HttpServer = {
  /** @throws the error of `listen`, such as EADDRINUSE. */
  listen(): Promise<{ port: number; url: string }>
  /** Port of pages and metrics; undefined without an admin port, and before it listens. */
  adminPort(): number | undefined
  /**
   * Asks clients to close their connections with `Connection: close` in every answer. After the delay it stops accepting,
   * lets requests in flight finish, and closes WebSockets with 1001. All of this happens within `config.drain`, of which the
   * delay is at most half.
   */
  close(options?: { /** Milliseconds. */ delay?: number }): Promise<void>
}

/** POSTs to a route of JSON-RPC are answered on node's own objects; everything else goes through the Hono app. */
export function createHttpServer({
  canSpend,
  config,
  documents,
  explain,
  extraRoutes,
  health,
  metrics,
  onConnections,
  onCut,
  limits,
  onError,
  page,
  routes,
  sleep = realSleep,
  unsent,
}: createHttpServer.Options): HttpServer {
  const servers = new Map(routes.map(({ path, server }) => [path, server]))
  const access = createAccess({
    allowedHosts: config.allowedHosts,
    canSpend,
    cors: config.cors,
    host: config.host,
  })
  const identity = createIdentity({ limits, trustProxy: config.trustProxy })
  const corsHeaders = corsHeadersFor(access)
  const ws = createWsServer({
    bodyLimit: config.bodyLimit,
    bufferLimit: config.wsBuffer,
    idleTimeout: config.wsIdle,
    maxConnections: config.wsConnections,
    maxPerClient: config.wsConnectionsPerClient,
    callerOf: (incoming) => identity.callerOfUpgrade(incoming),
    limits,
    onConnections,
    onCut,
    onError,
    routes: servers,
    unsent,
  })
  const parts = {
    health,
    metrics,
    documents,
    page,
    paths: [...servers.keys()],
    routes: extraRoutes,
  }
  const app = createApp({
    access,
    ...parts,
    isOperator: ({ env }) => isLocal((env as HttpBindings).incoming),
    upgrade: (context) => ws.upgrade(context),
  })
  const inTurn = createInTurn()
  let closing = false
  /** Whether other requests wait on the connection. They would be lost if it closed. */
  const isClosing = ({ socket }: IncomingMessage) => closing && !inTurn.hasMore(socket)
  const rpc = createRpcListener({
    bodyLimit: config.bodyLimit,
    compression: config.compression,
    corsHeaders,
    explain,
    isClosing,
    limits,
    onError,
    unsent,
  })
  const tls = openTlsFiles(config, onError)
  const create = tls
    ? (options: ServerOptions, listener: RequestListener) =>
        createTlsServer({ ...options, ...tls.read() }, listener)
    : createServer
  const hasAdmin = config.adminPort !== undefined
  const isHidden = (incoming: IncomingMessage) => hasAdmin && isAdminPath(pathOf(incoming))
  const server = createAdaptorServer({
    fetch: app.fetch,
    // By default it replaces the global Request and Response of the whole process with faster ones.
    overrideGlobalObjects: false,
    serverOptions: SERVER_OPTIONS,
    websocket: { server: ws.server },
    createServer: ((options: ServerOptions, page: RequestListener) =>
      create(options, (incoming, outgoing) => {
        const refusal = access.refusalOf(incoming)
        if (refusal) return refuse(outgoing, refusal, [])
        normalisePath(incoming)
        // HTTP/1.0 does not require a Host, and health checks send none.
        incoming.headers.host ??= 'localhost'
        if (isHidden(incoming)) return refuse(outgoing, HIDDEN, [])
        // A preflight has no API key.
        const isFree = incoming.method === 'OPTIONS' || isProbe(incoming)
        const caller = isFree ? IN_PROCESS : identity.identify(incoming)
        if ('reason' in caller) return refuse(outgoing, caller, corsHeaders(incoming))
        // Without the API key that was in front of it, the path may be another one.
        if (isHidden(incoming)) return refuse(outgoing, HIDDEN, [])
        const rpcServer = incoming.method === 'POST' ? servers.get(pathOf(incoming)) : undefined
        inTurn.request(incoming, outgoing, () => {
          outgoing.shouldKeepAlive &&= !isClosing(incoming)
          if (rpcServer) rpc(incoming as RequestMessage, outgoing, rpcServer, caller)
          else void other(incoming, outgoing, caller, page)
        })
      })) as typeof createServer,
  }) as Server
  guardUpgrades(
    server,
    {
      refusalOf(incoming) {
        const refusal = access.refusalOf(incoming)
        if (refusal) return refusal
        normalisePath(incoming)
        const denied = identity.refusalOfUpgrade(incoming)
        // Otherwise the app would run a page or an operation whose cost is not charged and whose answer cannot be sent.
        return denied ?? (servers.has(pathOf(incoming)) ? undefined : NO_WEBSOCKET)
      },
    },
    inTurn,
  )
  // Node would drop those after the first 2,000, among them an API key or what a proxy adds. Their bytes have a limit.
  server.maxHeadersCount = 0
  // The event loop accepts one connection per tick. The last of two hundred would wait for two hundred ticks of long work.
  server.on('connection', () => timeSlice.pause())

  /** Access rules of the admin port: pages of other sites may not read it. */
  const adminAccess = createAccess({
    // Other machines know it by any name.
    allowedHosts: isLoopback(config.adminHost) ? config.allowedHosts : '*',
    canSpend: true,
    cors: undefined,
    host: config.adminHost,
  })
  /** Pages and metrics on a port of their own. It takes no calls. */
  const admin = hasAdmin
    ? (createAdaptorServer({
        fetch: createApp({ access: adminAccess, ...parts, isOperator: () => true }).fetch,
        overrideGlobalObjects: false,
        createServer: ((options: ServerOptions, page: RequestListener) =>
          createServer(options, (incoming, outgoing) => {
            const isRead = incoming.method === 'GET' || incoming.method === 'HEAD'
            const refusal = isRead ? adminAccess.refusalOf(incoming) : ONLY_READS
            if (refusal) return refuse(outgoing, refusal, [])
            incoming.headers.host ??= 'localhost'
            return page(incoming, outgoing)
          })) as typeof createServer,
      }) as Server)
    : undefined

  /** A page or a call of the native interface: both make calls to the node, so they cost units too. */
  async function other(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    caller: Caller,
    serve: RequestListener,
  ): Promise<void> {
    const name = /^\/wallet(?:solidity)?(?:[/?]|$)/.test(incoming.url ?? '') ? 'wallet' : 'page'
    const denied = await limits.enter(caller, name, undefined)
    if (denied) {
      const { code, message: reason } = denied
      const headers = [
        ...Object.entries(refusalHeaders(denied, caller.limits)).flat(),
        ...corsHeaders(incoming),
      ]
      const refusal = { code, reason, status: statusOf(denied) }
      const isBrowser = incoming.headers.accept?.includes('text/html') === true
      return isBrowser
        ? refuseBrowser(outgoing, refusal, headers)
        : refuse(outgoing, refusal, headers)
    }
    const { socket } = incoming
    const meter = meterFor(socket, caller)
    const before = socket.bytesWritten
    const leave = () => limits.leave(caller, name, meter, socket.bytesWritten - before)
    // The client may have gone while the limits were read.
    if (outgoing.closed) return leave()
    outgoing.once('close', leave)
    serve(incoming, outgoing)
  }

  return {
    async listen() {
      const address = await listen(server, config, tls ? 'https' : 'http')
      tls?.watch((files) => (server as unknown as TlsServer).setSecureContext(files))
      if (admin)
        await listen(admin, { host: config.adminHost, port: config.adminPort ?? 0 }, 'http')
      return address
    },
    adminPort: () => (admin?.address() as AddressInfo | null | undefined)?.port,
    async close({ delay = 0 } = {}) {
      closing = true
      tls?.stop()
      const deadline = performance.now() + config.drain
      const cut = setTimeout(() => server.closeAllConnections(), config.drain)
      const isDelayed = server.listening && delay > 0
      if (isDelayed) {
        await sleep(Math.min(delay, config.drain / 2))
        // Closing the port resets connections that are not yet accepted. There are few of them right after an accept.
        await new Promise(setImmediate)
      }
      const closed = new Promise<void>((resolve) => stopListening(server, resolve))
      // The newest connections are still sending their request, and count as idle until it arrives.
      if (isDelayed) await sleep(Math.min(LAST_REQUEST_MS, config.drain / 4))
      server.closeIdleConnections()
      // Otherwise a connection whose last request has finished would be kept alive.
      const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS)
      await ws.drain(deadline - performance.now())
      await closed
      admin?.closeAllConnections()
      if (admin?.listening) await new Promise((resolve) => admin.close(resolve))
      clearTimeout(cut)
      clearInterval(idle)
    },
  }
}

export declare namespace createHttpServer {
  type Options = {
    /** Whether a request can spend: then Host and Origin are checked. */
    canSpend: boolean
    config: Config
    /** More routes, for a chain in this process. */
    extraRoutes?: Hono | undefined
    health: (reader?: HealthReader) => Health
    limits: Pick<
      CallLimits,
      'again' | 'callerOf' | 'charge' | 'enter' | 'isOver' | 'leave' | 'refusal'
    >
    metrics: { contentType: string; text(): Promise<string> }
    onConnections: (count: number) => void
    onCut: (reason: string) => void
    onError: (error: unknown, message: string) => void
    /** Descriptions of the API for tools. */
    documents?: Hono | undefined
    explain: createRpcListener.Options['explain']
    /** The pages at `/` and below. Absent when they are off. */
    page?: Hono | undefined
    routes: readonly RpcRoute[]
    sleep?: (milliseconds: number) => Promise<void>
    /** Answers that clients have not yet read. */
    unsent: Unsent
  }
}

/** Longer than load balancers keep idle connections (60 s), so that the gateway never closes one that is being reused. */
const KEEP_ALIVE_MS = 75_000

const CLOSE_IDLE_MS = 20

const ONLY_READS: Refusal = { reason: 'the admin port takes no calls', status: 405 }

const NO_WEBSOCKET: Refusal = { reason: 'no WebSocket is served at this path', status: 404 }

const HIDDEN: Refusal = { reason: 'served at --admin-port', status: 404 }

/** Paths that only the admin port serves, if there is one. */
function isAdminPath(path: string): boolean {
  return path === '/metrics' || path === '/state' || path === '/page/state'
}

/** Time for a request to arrive on a connection that was just accepted. */
const LAST_REQUEST_MS = 500

/** Stops listening only. `close` of an HTTP server would end idle connections too. */
function stopListening(server: Server, done: () => void): void {
  NetServer.prototype.close.call(server, done)
}

const SERVER_OPTIONS = {
  IncomingMessage: RequestMessage,
  keepAliveTimeout: KEEP_ALIVE_MS,
  /** Time for a whole request to arrive. */
  requestTimeout: 60_000,
  headersTimeout: 30_000,
  noDelay: true,
}

function listen(
  server: Server,
  { host, port }: Pick<Config, 'host' | 'port'>,
  scheme: 'http' | 'https',
): Promise<{ port: number; url: string }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const { address, family, port: taken } = server.address() as AddressInfo
      const name = isWildcard(address) ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
      resolve({ port: taken, url: `${scheme}://${name}:${taken}` })
    })
  })
}

function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::'
}

function corsHeadersFor(access: Access): (incoming: IncomingMessage) => readonly string[] {
  const all = ['access-control-allow-origin', '*']
  if (!access.variesByOrigin) return () => all
  return ({ headers }) => {
    const allowed = access.corsOrigin(headers.origin)
    return allowed === undefined
      ? ['vary', 'Origin']
      : ['access-control-allow-origin', allowed, 'vary', 'Origin']
  }
}

/** Answers without reading the body, so the connection cannot be reused and is closed. */
function refuse(
  outgoing: ServerResponse,
  { code = -32600, reason, status }: Refusal,
  headers: readonly string[],
): void {
  const { parts } = errorAnswer('null', { code, message: reason })
  end(outgoing, status, 'application/json', String(parts[0]), headers)
}

/** The same for a person. The reason contains no text of the request. */
function refuseBrowser(
  outgoing: ServerResponse,
  { reason, status }: Refusal,
  headers: readonly string[],
): void {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${status}</title><p>The gateway refused this page: ${reason}.</p></html>`
  end(outgoing, status, 'text/html; charset=utf-8', page, headers)
}

function end(
  outgoing: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: readonly string[],
): void {
  outgoing.writeHead(status, [
    'connection',
    'close',
    'content-type',
    type,
    'content-length',
    String(Buffer.byteLength(text)),
    ...headers,
  ])
  outgoing.end(text)
}
