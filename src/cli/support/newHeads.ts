import { WebSocket } from 'ws'

import { pause } from './interrupt.ts'

/** Waits for new heads. */
export type NewHeads = {
  /** Resolves after a new head was announced, or after a while without one. */
  next(): Promise<void>
}

/**
 * Subscribes to `newHeads` over WebSocket at the address of a JSON-RPC endpoint, and reconnects. An announcement only makes
 * `next` resolve early: without a connection it resolves every `interval` milliseconds.
 */
export function createNewHeads({ interval, note, signal, url }: createNewHeads.Options): NewHeads {
  let isConnected = false
  let isAnnounced = false
  let wake = () => {}
  const announce = () => {
    isAnnounced = true
    wake()
  }
  void keepConnected()

  async function keepConnected(): Promise<void> {
    // A server that refuses the first WebSocket does not support WebSockets.
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const isLost = await connect()
      if (signal.aborted || (!isLost && isFirst)) return
      if (isLost) {
        note('WebSocket connection lost; resuming')
        announce()
      } else await pause(RECONNECT_MS, signal)
    }
  }

  /** Announces heads until the connection ends. Returns whether the server had accepted the subscription. */
  function connect(): Promise<boolean> {
    const socket = new WebSocket(url.replace(/^http/, 'ws'))
    const close = () => socket.terminate()
    signal.addEventListener('abort', close)
    socket.on('error', close)
    socket.on('open', () =>
      socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}'),
    )
    socket.on('message', (data: Buffer) => {
      // The first message is the answer to the request.
      if (!isConnected && !data.includes('"result"')) return close()
      isConnected = true
      announce()
    })
    return new Promise((resolve) =>
      socket.on('close', () => {
        signal.removeEventListener('abort', close)
        resolve(isConnected)
        isConnected = false
      }),
    )
  }

  return {
    async next() {
      if (!isAnnounced) {
        const announced = new AbortController()
        wake = () => announced.abort()
        const wait = isConnected ? Math.max(QUIET_MS, interval) : interval
        await pause(wait, AbortSignal.any([signal, announced.signal]))
      }
      isAnnounced = false
    },
  }
}

export declare namespace createNewHeads {
  type Options = {
    /** Address of the JSON-RPC endpoint, `http…`. */
    url: string
    /** Milliseconds between two heads while nothing announces them. */
    interval: number
    signal: AbortSignal
    /** Called with temporary problems. */
    note: (text: string) => void
  }
}

const RECONNECT_MS = 2_000
/** The longest wait without an announcement: a dead connection may stay open. */
const QUIET_MS = 15_000
