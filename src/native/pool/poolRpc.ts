import { UpstreamError } from '../../errors.ts'
import { NodeAnswerError } from '../errors.ts'
import { createNodeRpc, type NodeRpc } from '../rpc.ts'
import type { Upstream } from './upstream.ts'

/** The own JSON-RPC of several nodes, asked as one. */
export type PoolRpc = NodeRpc & {
  /** Replaces the nodes. */
  update(upstreams: readonly Upstream[]): Promise<void>
}

/**
 * Calls one node after the other until one answers. It is used for contract storage, so only nodes come into
 * question that have the newest state that clients were shown.
 *
 * @param order - names of the nodes that may be asked now, best first.
 */
export function createPoolRpc({
  confirm,
  order,
  timeout,
  upstreams,
}: createPoolRpc.Options): PoolRpc {
  let clients = new Map<string, { client: NodeRpc; key: string }>()

  function open(next: readonly Upstream[]): typeof clients {
    return new Map(
      next.flatMap(({ headers, name, rpc: url }) => {
        if (url === undefined) return []
        const known = clients.get(name)
        const key = JSON.stringify([url, headers])
        const client = known?.key === key ? known.client : createNodeRpc({ headers, timeout, url })
        return [[name, { client, key }]]
      }),
    )
  }

  async function ask<value>(
    what: string,
    signal: AbortSignal | undefined,
    run: (client: NodeRpc) => Promise<value>,
  ): Promise<value> {
    let fault: Error = new UpstreamError(`no upstream node that serves ${what} is available`)
    for (const name of order()) {
      const entry = clients.get(name)
      if (!entry) continue
      signal?.throwIfAborted()
      try {
        const value = await run(entry.client)
        await confirm(name)
        return value
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        fault = error
      }
    }
    throw fault
  }

  clients = open(upstreams)
  return {
    call: (method, params, signal) =>
      ask(method, signal, (client) => client.call(method, params, signal)),
    async getStorageAt(address, slot, signal) {
      if (clients.size === 0)
        throw new NodeAnswerError('no upstream node has a JSON-RPC of its own that could be asked')
      return ask('eth_getStorageAt', signal, (client) => client.getStorageAt(address, slot, signal))
    },
    async update(next) {
      const before = clients
      clients = open(next)
      const kept = new Set([...clients.values()].map(({ client }) => client))
      const gone = [...before.values()].filter(({ client }) => !kept.has(client))
      await Promise.all(gone.map(({ client }) => client.close()))
    },
    async close() {
      await Promise.all([...clients.values()].map(({ client }) => client.close()))
    },
  }
}

export declare namespace createPoolRpc {
  type Options = {
    /** Resolves when a node serves the right chain. @throws UpstreamError when it does not */
    confirm: (name: string) => Promise<void>
    order: () => readonly string[]
    /** Milliseconds for one call. */
    timeout: number
    upstreams: readonly Upstream[]
  }
}
