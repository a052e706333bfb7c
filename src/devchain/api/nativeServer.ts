import { Hono } from 'hono'

import { NodeUnreachableError } from '../../native/errors.ts'
import type { NativeTransport } from '../../native/transport/transport.ts'
import type { createNativeInterface } from './interface.ts'

type Native = ReturnType<typeof createNativeInterface>

/** Serves the native interface over HTTP. */
export function createNativeApp(native: Native): Hono {
  const app = new Hono()
  for (const path of ['/wallet/*', '/walletsolidity/*'])
    app.all(path, async (context) => {
      const url = new URL(context.req.url)
      const { drop, status, text } = await native.answer({
        path: url.pathname,
        method: context.req.method,
        body: await context.req.text(),
        query: url.searchParams,
      })
      if (drop) (context.env as { incoming?: { destroy(): void } }).incoming?.destroy()
      return new Response(text, {
        status,
        headers: { 'content-type': 'application/json;charset=utf-8' },
      })
    })
  return app
}

const NO_QUERY = new URLSearchParams()

/** The native interface without sockets, for a gateway in the same process. */
export function createNativeTransport(native: Native): NativeTransport {
  return {
    async send(path, body, { signal }) {
      signal?.throwIfAborted()
      const [name = '', query = ''] = path.split('?')
      const answer = await native.answer({
        path: name,
        method: body === undefined ? 'GET' : 'POST',
        body: body ?? '',
        query: query === '' ? NO_QUERY : new URLSearchParams(query),
        // The gateway in this process does not read signatures.
        isUnsigned: true,
      })
      signal?.throwIfAborted()
      if (answer.drop) throw new NodeUnreachableError()
      return answer
    },
    close: async () => undefined,
  }
}
