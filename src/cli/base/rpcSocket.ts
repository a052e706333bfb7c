import { WebSocket } from 'ws'

import { shownUrl } from '../../lib/secrets.ts'
import { CommandError } from './errors.ts'

/** The answer to a call. */
export type RpcAnswer = { result?: unknown; error?: { code: number; message: string } }

/** Opens the WebSocket of a JSON-RPC endpoint (`http…`); undefined when the address accepts none. */
export async function openRpcSocket(
  url: string,
  { onEvent = () => {}, signal }: openRpcSocket.Options = {},
) {
  const socket = new WebSocket(url.replace(/^http/, 'ws'))
  const close = () => socket.terminate()
  let answered: (answer: RpcAnswer) => void = () => {}
  signal?.addEventListener('abort', close)
  socket.on('error', close)
  socket.on('message', (data: Buffer) => {
    try {
      const message = JSON.parse(data.toString()) as RpcAnswer & { id?: number }
      if (message.id === undefined) onEvent()
      else answered(message)
    } catch {
      // The server does not speak JSON-RPC.
      close()
    }
  })
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve())).finally(() =>
    signal?.removeEventListener('abort', close),
  )
  await Promise.race([new Promise((resolve) => socket.once('open', resolve)), ended])
  if (socket.readyState !== WebSocket.OPEN) return undefined
  return {
    /** One call at a time. @throws CommandError when the connection ends first */
    call(method: string, params: readonly unknown[]): Promise<RpcAnswer> {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      return Promise.race([
        new Promise<RpcAnswer>((resolve) => (answered = resolve)),
        ended.then(() => {
          throw new CommandError(`${shownUrl(url)} closed the WebSocket`)
        }),
      ])
    },
    close,
    /** Resolves when the connection has ended. */
    ended,
  }
}

export declare namespace openRpcSocket {
  type Options = {
    /** Called when the server sends an event of a subscription. */
    onEvent?: () => void
    /** Closes the connection. */
    signal?: AbortSignal
  }
}
