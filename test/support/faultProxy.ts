import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'

import { Agent } from 'undici'

import { answerBehind } from './faultProxy/behind.ts'
import type { ProxyReply, ProxyRequest } from './faultProxy/exchange.ts'
import { freePort } from './freePort.ts'

/**
 * A fault between a gateway and its node.
 *
 * - `refused`: refuses new connections and closes open ones.
 * - `reset`: resets the connection at a request.
 * - `hang`: accepts a request and never answers it.
 * - `latency`: delays each answer by `ms`.
 * - `status`: answers an HTTP status with a fixed body, such as 500 or 429.
 * - `rateLimit`: answers the node's rate-limit text with HTTP 200.
 * - `html`, `empty`: answers such a body with HTTP 200.
 * - `truncated`: answers the first half as if it were the whole; `cut`: sends the first half, then resets the connection.
 * - `unknown`: answers `{}`, as the node does for an unknown object.
 * - `behind`: stops the head `blocks` below its height. The state does not change.
 * - `target`: answers from another node, such as one of another chain.
 */
export type Fault =
  | { kind: 'refused' | 'reset' | 'hang' | 'rateLimit' | 'html' | 'empty' | 'truncated' }
  | { kind: 'cut' | 'unknown' }
  | { kind: 'latency'; ms: number }
  | { kind: 'status'; status: number; text?: string }
  | { kind: 'behind'; blocks: number }
  | { kind: 'target'; target: ProxyTarget }

/** The target of requests: base addresses of a node, or a function that answers in this process. */
export type ProxyTarget =
  | { wallet: string; solidity?: string; rpc?: string }
  | ((request: ProxyRequest) => Promise<ProxyReply>)

/** Limits a fault to some requests. */
export type FaultScope = {
  /** Whether a request gets the fault. @default every request */
  only?: (request: ProxyRequest) => boolean
  /** Number of requests after which the fault ends. @default no limit */
  times?: number
}

/** A proxy with faults in front of a node: `/wallet`, `/walletsolidity` and `/jsonrpc` on one port. */
export type FaultProxy = {
  /** Base address of `/wallet` and `/walletsolidity`; the same port for the life of the proxy. */
  readonly url: string
  /** The node's own JSON-RPC. */
  readonly rpcUrl: string
  /** Replaces the fault. Resolves when it is in effect. */
  fail(fault: Fault, scope?: FaultScope): Promise<void>
  /** Ends the fault. Requests that hang are still not answered. */
  heal(): Promise<void>
  /** Requested paths since the last call of this function. */
  taken(): string[]
  /** Number of requests in flight. */
  inFlight(): number
  close(): Promise<void>
}

/**
 * Starts a proxy in front of a node, without a fault.
 *
 * @param target - the node, or a dev chain by `proxyTarget(chain)`.
 */
export async function startFaultProxy(target: ProxyTarget): Promise<FaultProxy> {
  const agent = new Agent({ connections: 64, pipelining: 1 })
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const port = await freePort()
  let active: { fault: Fault; scope: FaultScope; left: number; stuckAt: number } | undefined
  let seen: string[] = []
  let inFlight = 0

  const ask = (request: ProxyRequest, to = target) => forward(agent, to, request)

  function faultFor(request: ProxyRequest) {
    if (!active || active.left <= 0 || active.scope.only?.(request) === false) return undefined
    active.left--
    return active
  }

  async function answer(request: ProxyRequest, outgoing: ServerResponse): Promise<void> {
    const { fault, stuckAt = 0 } = faultFor(request) ?? {}
    switch (fault?.kind) {
      case undefined:
      case 'refused':
        return send(outgoing, await ask(request))
      case 'reset':
        return reset(outgoing)
      case 'hang':
        return undefined
      case 'latency':
        await new Promise((resolve) => setTimeout(resolve, fault.ms))
        return send(outgoing, await ask(request))
      case 'status':
        return send(outgoing, { status: fault.status, text: fault.text ?? `HTTP ${fault.status}` })
      case 'rateLimit':
        return send(outgoing, { status: 200, text: RATE_LIMITED })
      case 'html':
        return send(outgoing, { status: 200, text: HTML })
      case 'empty':
        return send(outgoing, { status: 200, text: '' })
      case 'unknown':
        return send(outgoing, { status: 200, text: '{}\n' })
      case 'truncated': {
        const { status, text } = await ask(request)
        return send(outgoing, { status, text: text.slice(0, text.length / 2) })
      }
      case 'cut': {
        const { text } = await ask(request)
        outgoing.writeHead(200, { ...JSON_TYPE, 'content-length': Buffer.byteLength(text) })
        outgoing.write(text.slice(0, text.length / 2), () => reset(outgoing))
        return undefined
      }
      case 'behind':
        return send(outgoing, await answerBehind(request, stuckAt, ask))
      case 'target':
        return send(outgoing, await ask(request, fault.target))
    }
  }

  async function listen(): Promise<void> {
    server = createServer((incoming, outgoing) => {
      inFlight++
      outgoing.once('close', () => inFlight--)
      void (async () => {
        const request = {
          method: incoming.method ?? 'GET',
          path: incoming.url ?? '/',
          body: await text(incoming),
        }
        seen.push(request.path.split('?')[0] ?? '')
        await answer(request, outgoing)
      })().catch(() => outgoing.destroy())
    })
    server.keepAliveTimeout = 30_000
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }

  async function unlisten(): Promise<void> {
    const closing = server
    server = undefined
    if (!closing) return
    const closed = once(closing, 'close')
    closing.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }

  await listen()
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${port}`,
    rpcUrl: `http://127.0.0.1:${port}/jsonrpc`,
    async fail(fault, scope = {}) {
      const stuckAt = fault.kind === 'behind' ? (await headOf(ask)) - fault.blocks : 0
      active = { fault, scope, left: scope.times ?? Number.POSITIVE_INFINITY, stuckAt }
      if (fault.kind === 'refused') await unlisten()
      else if (!server) await listen()
    },
    async heal() {
      active = undefined
      if (!server) await listen()
    },
    taken() {
      const paths = seen
      seen = []
      return paths
    },
    inFlight: () => inFlight,
    async close() {
      await unlisten()
      await agent.destroy()
    },
  }
  return proxy
}

/** A dev chain as the target of a proxy. */
export function proxyTarget(chain: {
  app: { request(path: string, init: RequestInit): Promise<Response> | Response }
}): ProxyTarget {
  return async ({ body, method, path }) => {
    const response = await chain.app.request(path, method === 'GET' ? {} : { method, body })
    return { status: response.status, text: await response.text() }
  }
}

const RATE_LIMITED =
  '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}'
const HTML = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>'
const JSON_TYPE = { 'content-type': 'application/json;charset=utf-8' }

async function headOf(ask: (request: ProxyRequest) => Promise<ProxyReply>): Promise<number> {
  const { text } = await ask({ method: 'POST', path: '/wallet/getnowblock', body: '{}' })
  return (
    (JSON.parse(text) as { block_header: { raw_data: { number?: number } } }).block_header.raw_data
      .number ?? 0
  )
}

function send(outgoing: ServerResponse, { status, text }: ProxyReply): void {
  outgoing.writeHead(status, JSON_TYPE)
  outgoing.end(text)
}

function reset(outgoing: ServerResponse): void {
  outgoing.socket?.resetAndDestroy()
}

async function forward(
  agent: Agent,
  target: ProxyTarget,
  request: ProxyRequest,
): Promise<ProxyReply> {
  if (typeof target === 'function') return target(request)
  const { body, method, path } = request
  const response = await agent.request({
    ...placeOf(target, path),
    body: method === 'GET' ? null : body,
    headers: { 'content-type': 'application/json' },
    method,
  })
  return { status: response.statusCode, text: await response.body.text() }
}

function placeOf(
  { rpc, solidity, wallet }: Exclude<ProxyTarget, (...args: never[]) => unknown>,
  path: string,
): { origin: string; path: string } {
  if (path.startsWith('/jsonrpc')) {
    const url = new URL(rpc ?? `${wallet}/jsonrpc`)
    return { origin: url.origin, path: url.pathname }
  }
  const url = new URL(path.startsWith('/walletsolidity/') ? (solidity ?? wallet) : wallet)
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') + path }
}
