import { homedir } from 'node:os'
import { join } from 'node:path'

import { headersOf } from '../../config/upstreamList.ts'
import { createNodeClient } from '../../native/client.ts'
import { createNodeRpc, type NodeRpc } from '../../native/transport/nodeRpc.ts'
import { createHttpTransport, type NativeTransport } from '../../native/transport/transport.ts'
import { ForkError } from '../state/errors.ts'
import { type Fork, openFork } from './open.ts'

/** The default ports of a node's HTTP interface and of its JSON-RPC. */
const HTTP_PORT = 8090
const RPC_PORT = 8545

/**
 * Connects to a node and opens its chain at a block.
 *
 * @throws ForkError when the block does not exist or an address is invalid; UpstreamError when the node does not answer.
 */
export async function connectFork({
  cache = defaultCache(),
  header,
  number,
  rpcUrl,
  url,
}: connectFork.Options): Promise<Fork> {
  for (const address of [url, ...(rpcUrl === undefined ? [] : [rpcUrl])])
    if (!/^https?:\/\/[^/]/.test(address))
      throw new ForkError('expected an address such as http://127.0.0.1:8090')
  const transport = createHttpTransport({ upstream: url, header })
  try {
    const rpc = await openRpc(
      { url, rpcUrl, headers: headersOf(header) },
      await genesisOf(transport),
    )
    const folder = cache === 'off' ? undefined : cache
    const urls = [url, ...(rpcUrl === undefined ? [] : [rpcUrl])]
    return await openFork({ transport, urls, rpc, number, cache: folder })
  } catch (error) {
    await transport.close()
    throw error
  }
}

export declare namespace connectFork {
  type Options = {
    /** Base address of the node's `/wallet`. */
    url: string
    /** Full address of its JSON-RPC. @default the first address near `url` that answers */
    rpcUrl?: string | undefined
    /** `name: value`, sent with every call. */
    header?: string | undefined
    /** Height of the fork block. @default the newest block */
    number?: number | undefined
    /** Folder of the disk cache; `off` for none. @default the user's cache folder */
    cache?: string | undefined
  }
}

async function genesisOf(transport: NativeTransport): Promise<string> {
  const { wallet } = createNodeClient({ transport })
  const block = await wallet.getBlockByNum({ num: 0 })
  if (!block) throw new ForkError('the node has no genesis block')
  return block.blockID
}

/**
 * Finds the JSON-RPC of a node. Without a URL it tries the URL of the node, `/jsonrpc` below it and the default port. The
 * JSON-RPC must serve the same chain.
 *
 * @throws ForkError when the named one serves another chain or does not answer.
 */
async function openRpc(
  {
    headers,
    rpcUrl,
    url,
  }: { headers: Record<string, string>; rpcUrl: string | undefined; url: string },
  genesis: string,
): Promise<NodeRpc | undefined> {
  for (const place of rpcUrl === undefined ? placesOf(url) : [rpcUrl]) {
    const rpc = createNodeRpc({ url: place, headers })
    if (await isOfChain(rpc, genesis)) return rpc
    await rpc.close()
  }
  if (rpcUrl === undefined) return undefined
  throw new ForkError(
    `the JSON-RPC at ${new URL(rpcUrl).origin} is not that of the forked chain, or does not answer`,
  )
}

function placesOf(url: string): string[] {
  const base = url.replace(/\/+$/, '')
  const beside = new URL(base)
  if (beside.port === '') return [`${base}/jsonrpc`, base]
  beside.pathname = '/jsonrpc'
  // Test nodes shift all their ports by the same number.
  beside.port = String(Number(beside.port) - HTTP_PORT + RPC_PORT)
  return [`${base}/jsonrpc`, base, beside.href]
}

async function isOfChain(rpc: NodeRpc, genesis: string): Promise<boolean> {
  try {
    const block = (await rpc.call('eth_getBlockByNumber', ['0x0', false])) as { hash?: unknown }
    return block.hash === `0x${genesis}`
  } catch {
    return false
  }
}

function defaultCache(env: NodeJS.ProcessEnv = process.env): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'ethgate', 'fork')
}
