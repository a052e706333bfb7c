import { Hono } from 'hono'
import { onTestFinished } from 'vitest'

import { type Config, createConfig } from '../../src/config/config.ts'
import type { Health } from '../../src/http/health.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { createUnsent } from '../../src/http/unsent.ts'
import { createHeldBytes } from '../../src/lib/heldBytes.ts'
import { preparedOf } from '../../src/lib/prepared.ts'
import { type CallLimits, createCallLimits } from '../../src/limits/limits.ts'
import type { Context } from '../../src/rpc/context.ts'
import { limited } from '../../src/rpc/jsonrpc/middleware.ts'
import { createRpcServer } from '../../src/rpc/jsonrpc/server.ts'
import type { AnyMethod } from '../../src/rpc/method.ts'
import type { RpcSocket } from '../../src/rpc/request.ts'

/** The answer of `/health` at the server of `startHttpServer`. */
export const HEALTH: Health = {
  status: 'ok',
  ready: true,
  reasons: [],
  version: '1.2.3',
  chainId: '0x1',
  upstream: { state: 'up', wallet: null, solidity: null },
  head: { role: 'standalone', number: 7, solid: 5, age: 1.5 },
  redis: 'none',
  filters: { count: 0, bytes: 0 },
  uptime: 3,
}

/** Limits in this process, none by default. The test stops them. */
export function limitsOf(given: Partial<createCallLimits.Options> = {}) {
  return createCallLimits({
    anonymous: true,
    apiKeys: undefined,
    isBusy: () => false,
    limits: {},
    link: undefined,
    log: { error() {}, info() {}, warn() {} },
    onRefused() {},
    targetOf: () => undefined,
    withoutRedis: 'local',
    ...given,
  })
}

/** The HTTP server alone on a free port, with methods for its tests. It ends with the test. */
export async function startHttpServer(
  given: Partial<Config> = {},
  health: Partial<Health> = {},
  {
    canSpend = false,
    limits = limitsOf(),
    sleep,
    ...unsentOptions
  }: Partial<
    Pick<createHttpServer.Options, 'canSpend' | 'sleep'> &
      createUnsent.Options & { limits: CallLimits }
  > = {},
) {
  const deliveries: boolean[] = []
  const aborted: boolean[] = []
  const clients: string[] = []
  const cuts: string[] = []
  const errors: unknown[] = []
  const sockets: RpcSocket[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const method = (handler: AnyMethod['handler']): AnyMethod => ({
    params: [(input: unknown) => input],
    summary: '',
    handler,
  })
  const methods: Record<string, AnyMethod> = {
    echo: method((_, [input]) => input),
    big: method((_, [bytes]) => preparedOf(Buffer.from(`"${'x'.repeat((bytes as number) - 2)}"`))),
    page: method((_, [bytes], call) => {
      clients.push(call.client)
      call.onDelivery((delivered) => deliveries.push(delivered))
      return preparedOf(Buffer.from(`"${'x'.repeat((bytes as number) - 2)}"`))
    }),
    wait: method(async (_, __, call) => {
      clients.push(call.client)
      call.onDelivery((delivered) => deliveries.push(delivered))
      call.signal.addEventListener('abort', () => aborted.push(true))
      await released
      return 'done'
    }),
    attach: method((_, __, { socket }) => {
      if (socket) sockets.push(socket)
      return socket !== undefined
    }),
  }
  const { heldBytes } = createConfig(given)
  const held = createHeldBytes({ limit: heldBytes, share: heldBytes / 2 })
  const unsent = createUnsent({
    held,
    limit: createConfig(given).unsentBytes,
    ...unsentOptions,
  })
  const server = createRpcServer({
    config: createConfig(given),
    context: () => ({}) as Context,
    methods,
    limits: { ...limits, hasRoom: (...answer) => unsent.hasRoom(...answer) },
    middleware: [limited(limits)],
    onError: (error) => errors.push(error),
  })
  const http = createHttpServer({
    canSpend,
    config: createConfig({ port: 0, ...given }),
    explain: async (work) => ({ answer: await work() }),
    extraRoutes: new Hono().all('/wallet/getnowblock', (c) => c.json({ blockID: '00' })),
    health: () => ({ ...HEALTH, ...health }),
    held,
    limits,
    metrics: { contentType: 'text/plain', text: async () => 'ethgate_up 1\n' },
    onConnections: () => {},
    onCut: (reason) => cuts.push(reason),
    onError: (error) => errors.push(error),
    routes: ['/', '/jsonrpc', '/ws'].map((path) => ({ path, server })),
    ...(sleep && { sleep }),
    unsent,
  })
  const { port, url } = await http.listen()
  onTestFinished(async () => {
    release()
    await http.close()
    await limits.stop()
  })
  const post = (
    body: string | ReadableStream | Uint8Array<ArrayBuffer>,
    init: RequestInit = {},
    path = '/',
  ) => fetch(url + path, { method: 'POST', body, ...init })
  return {
    aborted,
    adminPort: () => http.adminPort(),
    clients,
    close: (options?: { delay?: number; isReplaced?: boolean }) => http.close(options),
    cuts,
    errors,
    held,
    port,
    post,
    release,
    deliveries,
    sockets,
    unsent,
    url,
  }
}

/** The text of a request. */
export const call = (method: string, ...params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
