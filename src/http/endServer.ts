import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'

import type { Closing } from './closing.ts'
import type { WsServer } from './ws.ts'

/**
 * Ends a server: for the delay, requests are answered and their connections closed. Then it stops accepting, requests in flight finish,
 * and WebSockets close with 1001, all within `drain` milliseconds. One that another process has taken the place of stops accepting at
 * once, and answers the connections that it has.
 */
export async function endServer(
  server: Server,
  { closing, delay, drain, isReplaced, sleep, ws }: endServer.Options,
): Promise<void> {
  closing.begin()
  const deadline = performance.now() + drain
  const cut = setTimeout(() => server.closeAllConnections(), drain)
  const isDelayed = server.listening && delay > 0 && !isReplaced
  if (isDelayed) {
    await sleep(Math.min(delay, drain / 2))
    // Closing the port resets connections that are not yet accepted. There are few of them right after an accept.
    await new Promise(setImmediate)
  }
  const closed = new Promise<void>((resolve) => stopListening(server, resolve))
  // The newest connections are still sending their request, and count as idle until it arrives.
  if (isDelayed) await sleep(Math.min(LAST_REQUEST_MS, drain / 4))
  // A client that sends a request on an idle connection loses it if the connection is closed just then. It need not be so soon.
  const from = isReplaced ? performance.now() + drain / 2 : 0
  // Again and again: otherwise a connection whose last request has finished would be kept alive.
  const idle = setInterval(() => {
    if (performance.now() >= from) server.closeIdleConnections()
  }, CLOSE_IDLE_MS)
  await ws.drain(deadline - performance.now())
  await closed
  // Ends the timer that looks at its connections, which would keep the server and all behind it in memory.
  server.close()
  clearTimeout(cut)
  clearInterval(idle)
}

export declare namespace endServer {
  /** `delay` and `drain` in milliseconds. */
  type Options = {
    closing: Closing
    delay: number
    drain: number
    isReplaced: boolean
    sleep: (milliseconds: number) => Promise<void>
    ws: Pick<WsServer, 'drain'>
  }
}

const CLOSE_IDLE_MS = 20

/** Time for a request to arrive on a connection that was just accepted. */
const LAST_REQUEST_MS = 500

/** Stops listening only. `close` of an HTTP server would end idle connections too. */
function stopListening(server: Server, done: () => void): void {
  NetServer.prototype.close.call(server, done)
}
