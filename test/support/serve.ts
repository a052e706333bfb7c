import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { atEnd } from './atEnd.ts'

/** Answers a request. When it throws, the connection is closed. */
type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** An HTTP server on a free port of this machine. The caller closes it, with its connections. */
export async function serve(answer: Answer) {
  const server = createServer((request, response) => {
    void (async () => answer(request, response))().catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  // Longer than a test pauses, so that no client uses a connection that is being closed.
  server.keepAliveTimeout = 30_000
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An HTTP server that ends with the running test. Returns its address. */
export async function serveInTest(answer: Answer): Promise<string> {
  const server = await serve(answer)
  atEnd(() => server.close())
  return server.url
}
