import { type Call, withSignal } from '../../lib/call.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createStop } from '../../lib/stopSignal.ts'
import { within } from '../../lib/within.ts'
import { NodeAnswerError, NodeTimeoutError } from '../errors.ts'
import { createNodeRpc, type NodeRpc } from '../transport/nodeRpc.ts'
import type { Upstream } from '../upstream.ts'
import { drained } from './drained.ts'

/** The JSON-RPC of several nodes as one. */
export type PoolRpc = NodeRpc & {
  /** Replaces the nodes. Calls in flight to removed nodes finish. */
  update(upstreams: readonly Upstream[]): void
}

/**
 * Calls one node after the other until one answers. It is used for contract storage, so only nodes come into
 * question that have the newest state that clients were shown. A node that does not answer gets half of the time that is left,
 * so that the next one can be asked; the last node gets all of it.
 *
 * @param order - names of the nodes that may be asked now, best first.
 */
export function createPoolRpc({
  confirm,
  order,
  timeout,
  upstreams,
}: createPoolRpc.Options): PoolRpc {
  let clients = new Map<string, Entry>()

  function open(next: readonly Upstream[]): typeof clients {
    return new Map(
      next.flatMap(({ headers, name, rpc: url }) => {
        if (url === undefined) return []
        const known = clients.get(name)
        const key = JSON.stringify([url, headers])
        if (known?.key === key) return [[name, known]]
        return [[name, { client: createNodeRpc({ headers, timeout, url }), inFlight: 0, key }]]
      }),
    )
  }

  async function ask<value>(
    what: string,
    asking: Call | undefined,
    run: (client: NodeRpc, asking: Call) => Promise<value>,
  ): Promise<value> {
    const deadline = performance.now() + timeout
    const able = order().filter((name) => clients.has(name))
    let fault: Error | undefined
    for (const [index, name] of able.entries()) {
      const entry = clients.get(name)
      const left = deadline - performance.now()
      if (!entry || left <= 0) break
      asking?.signal?.throwIfAborted()
      const time = index === able.length - 1 ? left : left / 2
      const late = () => new NodeTimeoutError(Math.round(time))
      const stop = createStop()
      entry.inFlight++
      try {
        const answer = checked(name, run(entry.client, withSignal(asking, stop)))
        return await within(answer, time, late, asking?.signal)
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        fault = error
      } finally {
        entry.inFlight--
        // Also ends a call that the client does not wait for any more.
        stop.stop(ENDED)
      }
    }
    throw fault ?? new UpstreamError(`no upstream node that serves ${what} is available`)
  }

  /** An answer, once the chain of its node is confirmed. A check that is due runs beside the call. */
  async function checked<value>(name: string, answer: Promise<value>): Promise<value> {
    confirm(name).catch(() => {})
    const value = await answer
    await confirm(name)
    return value
  }

  clients = open(upstreams)
  return {
    call: (method, params, asking) =>
      ask(method, asking, (client, limited) => client.call(method, params, limited)),
    async getStorageAt(address, slot, asking) {
      if (clients.size === 0)
        throw new NodeAnswerError('no upstream node has a JSON-RPC of its own that could be asked')
      return ask('eth_getStorageAt', asking, (client, limited) =>
        client.getStorageAt(address, slot, limited),
      )
    },
    update(next) {
      const before = clients
      clients = open(next)
      for (const [name, entry] of before)
        if (clients.get(name) !== entry)
          void drained({ isIdle: () => entry.inFlight === 0 }, timeout).then(() =>
            entry.client.close(),
          )
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
    /** Milliseconds for one call, however many nodes are asked. */
    timeout: number
    upstreams: readonly Upstream[]
  }
}

/** Why a call that has ended is stopped. */
const ENDED = new Error('the call has ended')

type Entry = {
  client: NodeRpc
  inFlight: number
  /** What the client was made of. */
  key: string
}
