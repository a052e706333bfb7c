import { WebSocket } from 'ws'

import type { Config } from '../../src/config/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import type { ScriptedChain } from './chain.ts'
import { post } from './gateway.ts'

/** A gateway of a scripted chain, called over real sockets. It polls after each change of the chain. */
export async function startWatchedGateway(chain: ScriptedChain, config: Partial<Config> = {}) {
  const gateway = createGateway({
    authoritative: false,
    config: { port: 0, ...config },
    transport: chain.transport,
  })
  const { url } = await gateway.start()
  const { head } = await gateway.ready
  const unsubscribe = chain.onChange(() => head.pollNow())
  return {
    ...createClient(url),
    gateway,
    async stop() {
      unsubscribe()
      await gateway.stop()
    },
  }
}

/** A gateway in front of a real node that serves its solidified state on the next port. */
export async function startNodeGateway(upstream: string, config: Partial<Config> = {}) {
  const solidity = new URL(upstream)
  solidity.port = String(Number(solidity.port) + 1)
  const gateway = createGateway({
    config: { port: 0, upstream, upstreamSolidity: solidity.origin, ...config },
  })
  const { url } = await gateway.start()
  await gateway.ready
  return { ...createClient(url), gateway, stop: () => gateway.stop() }
}

/** Makes JSON-RPC calls. Throws errors as received. */
export function createClient(url: string) {
  return {
    url,
    async rpc<result = unknown>(method: string, ...params: unknown[]): Promise<result> {
      const { error, result } = await post(url, method, params)
      if (error) throw Object.assign(new Error('JSON-RPC error'), error)
      return result as result
    },
    socket: () => openSocket(url.replace('http', 'ws')),
  }
}

/** A WebSocket client that keeps every notification. */
export async function openSocket(url: string) {
  const socket = new WebSocket(url)
  const waiting = new Map<number, (answer: { error?: object; result?: unknown }) => void>()
  const notes: { subscription: string; result: unknown }[] = []
  let id = 0
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as {
      id?: number
      error?: object
      result?: unknown
      params?: { subscription: string; result: unknown }
    }
    if (message.params) notes.push(message.params)
    else waiting.get(message.id ?? -1)?.(message)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('error', reject)
  })
  return {
    /** Every notification so far, in order. */
    notes,
    of: <result>(subscription: string) =>
      notes
        .filter((note) => note.subscription === subscription)
        .map(({ result }) => result as result),
    async rpc<result = unknown>(method: string, ...params: unknown[]): Promise<result> {
      const answer = await new Promise<{ error?: object; result?: unknown }>((resolve) => {
        id++
        waiting.set(id, resolve)
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      })
      if (answer.error) throw Object.assign(new Error('JSON-RPC error'), answer.error)
      return answer.result as result
    },
    closed: new Promise<number>((resolve) => socket.once('close', resolve)),
    async close() {
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.close()
      await closed
    },
  }
}
