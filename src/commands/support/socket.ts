import { WebSocket } from 'ws'

import { CommandError, EXIT } from '../command.ts'
import { get, isRecord, parse, scalar, stringify } from './json.ts'
import { type Rpc, RpcFailure } from './rpc.ts'

/** A WebSocket that carries calls and notifications. */
export type Socket = Rpc & {
  /** Notifications of `eth_subscription`, in order. */
  onNotification(listener: (subscription: string, result: unknown) => void): void
  /** Stops reading from the network, so that a slow reader slows the sender; `resume` goes on. */
  pause(): void
  resume(): void
  /** Resolves when the connection has ended, with the reason. */
  readonly closed: Promise<string>
  close(): void
}

/** Time for the handshake and for a pong, milliseconds. */
const PATIENCE_MS = 10_000
const PING_MS = 15_000

/**
 * Connects to the WebSocket at the address of a JSON-RPC endpoint.
 *
 * @throws CommandError with exit code 4; `details.status` when the server answered without a WebSocket
 */
export async function connect(options: connect.Options): Promise<Socket> {
  const url = options.url.replace(/^http/, 'ws')
  const socket = new WebSocket(url, {
    headers: options.headers,
    handshakeTimeout: PATIENCE_MS,
    maxPayload: 256 * 1024 * 1024,
  })
  const listeners: ((subscription: string, result: unknown) => void)[] = []
  const waiting = new Map<
    string,
    { method: string; resolve: (value: unknown) => void; reject: (error: unknown) => void }
  >()
  const closed = new Promise<string>((resolve) => {
    socket.on('close', (code, reason) => {
      const why = reason.toString() || `code ${code}`
      for (const { reject } of waiting.values()) reject(lost(url, why))
      waiting.clear()
      resolve(why)
    })
  })
  socket.on('message', (data: Buffer) => {
    const message = parse(data.toString())
    if (get(message, 'method') === 'eth_subscription') {
      const params = get(message, 'params')
      for (const listener of listeners)
        listener(scalar(get(params, 'subscription')) ?? '', get(params, 'result'))
      return
    }
    const id = scalar(get(message, 'id')) ?? ''
    const call = waiting.get(id)
    if (!call || !isRecord(message)) return
    waiting.delete(id)
    const error = message['error']
    if (isRecord(error))
      call.reject(
        new RpcFailure(call.method, {
          code: Number(scalar(error['code']) ?? 0),
          message: scalar(error['message']) ?? '',
          data: error['data'],
        }),
      )
    else call.resolve(message['result'])
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('unexpected-response', (_request, response) => {
      socket.terminate()
      reject(
        new CommandError(`${url} offers no WebSocket (HTTP ${response.statusCode})`, {
          exitCode: EXIT.unreachable,
          details: { status: response.statusCode },
        }),
      )
    })
    socket.on('error', (error) => reject(lost(url, error.message)))
  })
  keepAlive(socket)

  let id = 0
  return {
    url,
    closed,
    call(method, params = []) {
      id += 1
      const key = String(id)
      return new Promise((resolve, reject) => {
        if (socket.readyState !== WebSocket.OPEN) return reject(lost(url, 'closed'))
        waiting.set(key, { method, resolve, reject })
        socket.send(stringify({ jsonrpc: '2.0', id, method, params }))
      })
    },
    onNotification: (listener) => void listeners.push(listener),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.close(1000),
  }
}

export declare namespace connect {
  type Options = { url: string; headers: Record<string, string> }
}

/** A connection whose other end is gone stays open for ever unless someone asks. */
function keepAlive(socket: WebSocket): void {
  let answered = true
  socket.on('pong', () => (answered = true))
  const timer = setInterval(() => {
    if (!answered && !socket.isPaused) return socket.terminate()
    answered = false
    socket.ping()
  }, PING_MS)
  socket.on('close', () => clearInterval(timer))
}

function lost(url: string, reason: string): CommandError {
  return new CommandError(`connection to ${url} lost (${reason})`, { exitCode: EXIT.unreachable })
}
