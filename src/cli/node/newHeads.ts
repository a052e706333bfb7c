import { pause } from '../base/interrupt.ts'
import { openRpcSocket } from '../base/rpcSocket.ts'

/** Waits for new heads. */
export type NewHeads = ReturnType<typeof createNewHeads>

/**
 * Subscribes to `newHeads` over WebSocket at the address of a JSON-RPC endpoint, and reconnects. An announcement only makes
 * `next` resolve early: without a connection it resolves every `interval` milliseconds.
 */
export function createNewHeads({ interval, note, signal, url }: createNewHeads.Options) {
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
  async function connect(): Promise<boolean> {
    const socket = await openRpcSocket(url, { onEvent: announce, signal })
    const answer = await socket?.call('eth_subscribe', ['newHeads']).catch(() => undefined)
    if (answer?.result === undefined) {
      socket?.close()
      return false
    }
    isConnected = true
    announce()
    await socket?.ended
    isConnected = false
    return true
  }

  return {
    /** Resolves after a new head was announced, or after a while without one. */
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
