import { webSocket } from 'viem'

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
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const connection = await connect().catch(() => undefined)
      // A server that refuses the first WebSocket does not support WebSockets.
      if (!connection && isFirst) return
      if (!connection) {
        await pause(RECONNECT_MS, signal)
        continue
      }
      isConnected = true
      announce()
      await connection.closed
      isConnected = false
      if (!signal.aborted) note('WebSocket connection lost; resuming')
      announce()
    }
  }

  async function connect(): Promise<{ closed: Promise<void> }> {
    const { value } = webSocket(url.replace(/^http/, 'ws'), { reconnect: false, retryCount: 0 })({})
    if (!value) throw new Error('no transport')
    const client = await value.getRpcClient()
    let isOpen = true
    let end = () => {}
    const closed = new Promise<void>((resolve) => (end = resolve))
    const close = () => {
      if (!isOpen) return
      isOpen = false
      signal.removeEventListener('abort', close)
      client.close()
      end()
    }
    signal.addEventListener('abort', close)
    try {
      await value.subscribe({ params: ['newHeads'], onData: announce, onError: close })
    } catch (error) {
      close()
      throw error
    }
    if (signal.aborted) close()
    return { closed }
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
