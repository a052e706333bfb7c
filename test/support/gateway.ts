import { request } from 'undici'

import type { Config } from '../../src/config/config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { type ReplayNode, startReplayNode } from './node.ts'

/**
 * A whole gateway, as `ethgate serve` runs it, on a free port in front of a replay node. The caller stops it.
 *
 * @param config - settings that differ from the defaults.
 */
export async function startReplayGateway(
  config: Partial<Config> = {},
  options: startReplayNode.Options = {},
  more: Partial<createGateway.Options> = {},
): Promise<{ url: string; gateway: Gateway; node: ReplayNode; stop(): Promise<void> }> {
  const node = await startReplayNode(options)
  const gateway = createGateway({
    config: {
      port: 0,
      upstream: node.url,
      upstreamRpc: node.rpcUrl,
      upstreamSolidity: node.solidityUrl,
      ...config,
    },
    ...more,
  })
  const { url } = await gateway.start()
  return {
    url,
    gateway,
    node,
    async stop() {
      await gateway.stop()
      await node.close()
    },
  }
}

/** One JSON-RPC call over HTTP: `result` or `error`, as received. Made without `fetch`, whose streams cost more than the call. */
export async function post(
  url: string,
  method: string,
  params: unknown[] = [],
): Promise<{ result?: unknown; error?: { code: number; message: string; data?: unknown } }> {
  const { body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await body.json()) as Awaited<ReturnType<typeof post>>
}
