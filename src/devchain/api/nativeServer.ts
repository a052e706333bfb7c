import { Hono } from 'hono'

import { textOf } from '../../lib/bodyText.ts'
import type { Hold } from '../../lib/heldBytes.ts'
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
      const body = await textOf(context.req.raw, MOST_BYTES, (context.var as { body?: Hold }).body)
      if (body === undefined) return answer(TOO_BIG)
      const { drop, status, text } = await native.answer({
        path: url.pathname,
        method: context.req.method,
        body,
        query: url.searchParams,
      })
      if (drop) (context.env as { incoming?: { destroy(): void } }).incoming?.destroy()
      return answer(text, status)
    })
  return app
}

const answer = (text: string, status = 200) =>
  new Response(text, { status, headers: { 'content-type': 'application/json;charset=utf-8' } })

/** Bytes of the largest request body, the same as the node's limit. */
const MOST_BYTES = 4 * 1024 * 1024

const TOO_BIG = `{"Error":"class java.lang.Exception : body size is too big, the limit is ${MOST_BYTES}"}\n`

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
