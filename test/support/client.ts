import { request } from 'undici'
import { WebSocket } from 'ws'

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
