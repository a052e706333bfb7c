import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

import { createAdaptorServer } from '@hono/node-server'

import type { Config } from '../config/config.ts'
import { sleep as realSleep } from '../lib/sleep.ts'
import { timeSlice } from '../lib/timeSlice.ts'
import type { CallLimits } from '../limits/limits.ts'
import { createAccess, isLoopback, isWildcard } from './access.ts'
import { createAdminApp, createApp, type Reads } from './app.ts'
import { createRequestCallers } from './callers.ts'
import { createClosing } from './closing.ts'
import { endServer } from './endServer.ts'
import { createInTurn } from './inTurn.ts'
import type { Refusal } from './refuse.ts'
import { pathOf, readTarget } from './target.ts'
import { openTlsFiles } from './tls.ts'
import { guardUpgrades } from './upgrade.ts'
import { createWsServer } from './ws.ts'

/**
 * Creates the servers of the public and the admin port around their apps: JSON-RPC over POST and WebSocket, the page, probes and
 * metrics.
 */
export function createHttpServer(options: createHttpServer.Options) {
  const { config, documents, health, metrics, onError, page, routes, sleep = realSleep } = options
  const reads: Reads = { documents, health, metrics, page, paths: routes.map(({ path }) => path) }
  const tls = openTlsFiles(config, onError)
  const { closing, server, ws } = createPublicServer(options, reads, tls)
  const admin = config.adminPort === undefined ? undefined : createAdminServer(config, reads)

  return {
    /** @throws the error of `listen`, such as EADDRINUSE. */
    async listen(): Promise<{ port: number; url: string }> {
      const address = await listen(server, config, tls ? 'https' : 'http')
      tls?.watch((files) => (server as unknown as TlsServer).setSecureContext(files))
      if (admin)
        await listen(admin, { host: config.adminHost, port: config.adminPort ?? 0 }, 'http')
      return address
    },
    /** Port of pages and metrics; undefined without an admin port, and before it listens. */
    adminPort: () => (admin?.address() as AddressInfo | null | undefined)?.port,
    /**
     * Asks clients to close their connections with `Connection: close` in every answer. After the delay it stops accepting,
     * lets requests in flight finish, and closes WebSockets with 1001. All of this happens within `config.drain`, of which the
     * delay is at most half.
     *
     * @param how.delay - milliseconds
     * @param how.isReplaced - whether another process already accepts on the same port: then idle connections are closed late
     */
    async close(how: { delay?: number; isReplaced?: boolean } = {}): Promise<void> {
      const { delay = 0, isReplaced = false } = how
      tls?.stop()
      await endServer(server, { closing, delay, drain: config.drain, isReplaced, sleep, ws })
      admin?.closeAllConnections()
      if (admin?.listening) await new Promise((resolve) => admin.close(resolve))
    },
  }
}

export declare namespace createHttpServer {
  type Options = Omit<Reads, 'paths'> &
    Omit<createApp.Options, 'access' | 'callers' | 'closing' | 'inTurn' | 'reads' | 'upgrade'> &
    Pick<createWsServer.Options, 'limits' | 'onConnections' | 'onCut'> & {
      /** Whether a request can spend: then Host and Origin are checked. */
      canSpend: boolean
      config: Config
      limits: Pick<CallLimits, 'again' | 'callerOf'>
      sleep?: (milliseconds: number) => Promise<void>
    }
}

function createPublicServer(
  options: createHttpServer.Options,
  reads: Reads,
  tls: ReturnType<typeof openTlsFiles>,
) {
  const { canSpend, config, limits } = options
  const access = createAccess({ ...config, canSpend })
  const callers = createRequestCallers(limits, config.trustProxy)
  const inTurn = createInTurn()
  const closing = createClosing(inTurn)
  const ws = createWsServer({ ...options, callerOf: (incoming) => callers.ofUpgrade(incoming) })
  const { upgrade } = ws
  const app = createApp({ ...options, access, callers, closing, inTurn, reads, upgrade })
  const server = serverOf({ fetch: app.fetch, websocket: { server: ws.server } }, tls)
  const refusalOf = (incoming: IncomingMessage): Refusal | undefined => {
    const refusal = access.refusalOf(incoming)
    if (refusal) return refusal
    const caller = callers.of(incoming)
    if ('reason' in caller) return caller
    // Otherwise the app would run a page or an operation whose cost is not charged and whose answer cannot be sent.
    return reads.paths.includes(pathOf(incoming)) ? undefined : NO_WEBSOCKET
  }
  guardUpgrades(server, { refusalOf }, inTurn)
  // Node would drop those after the first 2,000, among them an API key or what a proxy adds. Their bytes have a limit.
  server.maxHeadersCount = 0
  // The event loop accepts one connection per tick. The last of two hundred would wait for two hundred ticks of long work.
  server.on('connection', () => timeSlice.pause())
  return { closing, server, ws }
}

/** Pages and metrics on a port of their own. It takes no calls. */
function createAdminServer({ adminHost, allowedHosts }: Config, reads: Reads): Server {
  const access = createAccess({
    // Other machines know it by any name.
    allowedHosts: isLoopback(adminHost) ? allowedHosts : '*',
    // Pages of other sites may not read it.
    canSpend: true,
    cors: undefined,
    host: adminHost,
  })
  return serverOf({ fetch: createAdminApp(access, reads).fetch })
}

/** The server of an app. */
function serverOf(
  options: Pick<Parameters<typeof createAdaptorServer>[0], 'fetch' | 'websocket'>,
  tls?: ReturnType<typeof openTlsFiles>,
): Server {
  const server = createAdaptorServer({
    ...options,
    // HTTP/1.0 does not require a Host, and health checks send none.
    hostname: 'localhost',
    // By default it replaces the global Request and Response of the whole process with faster ones.
    overrideGlobalObjects: false,
    ...(tls
      ? { createServer: createTlsServer, serverOptions: { ...SERVER_OPTIONS, ...tls.read() } }
      : { serverOptions: SERVER_OPTIONS }),
  }) as Server
  server.prependListener('request', readTarget)
  return server
}

const NO_WEBSOCKET: Refusal = { reason: 'no WebSocket is served at this path', status: 404 }

/** Longer than load balancers keep idle connections (60 s), so that the gateway never closes one that is being reused. */
const KEEP_ALIVE_MS = 75_000

const SERVER_OPTIONS = {
  keepAliveTimeout: KEEP_ALIVE_MS,
  /** Time for a whole request to arrive. */
  requestTimeout: 60_000,
  headersTimeout: 30_000,
  noDelay: true,
}

async function listen(
  server: Server,
  { host, port }: Pick<Config, 'host' | 'port'>,
  scheme: 'http' | 'https',
): Promise<{ port: number; url: string }> {
  // As many connections wait as the kernel allows: one that it refuses is tried again after 1 s.
  await once(server.listen({ backlog: 4_096, host, port }), 'listening')
  const { address, family, port: taken } = server.address() as AddressInfo
  const name = isWildcard(address) ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return { port: taken, url: `${scheme}://${name}:${taken}` }
}
