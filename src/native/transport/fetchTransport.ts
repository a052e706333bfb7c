import { whenLate } from '../../lib/within.ts'
import { NodeAnswerError, NodeTimeoutError, NodeUnreachableError } from '../errors.ts'
import { maxBytes } from '../wire/answerLimits.ts'
import type { NativeTransport } from './transport.ts'

/**
 * A transport over `fetch`, for programs and browsers that call a node directly. Servers use `createHttpTransport`,
 * which is faster and limits the number of sockets.
 *
 * @param url - base address of `/wallet` and `/walletsolidity`, with or without `/wallet`. It may have a path and a query.
 */
export function createFetchTransport(
  url: string,
  { fetch = globalThis.fetch, headers = {}, timeout = 10_000 }: createFetchTransport.Options = {},
): NativeTransport {
  const [, place = '', search = ''] = /^([^?#]*)(\?[^#]*)?/.exec(url) ?? []
  const base = place.replace(/\/+$/, '').replace(/\/wallet$/, '')

  return {
    async send(path, body, { idempotent, signal }) {
      signal?.throwIfAborted()
      const controller = new AbortController()
      const timer = whenLate(() => controller.abort(new NodeTimeoutError(timeout)), timeout)
      const leave = () => controller.abort(signal?.reason)
      signal?.addEventListener('abort', leave, { once: true })
      const once = async () => {
        const response = await fetch(base + path + search, {
          body: body ?? null,
          headers:
            body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
          method: body === undefined ? 'GET' : 'POST',
          signal: controller.signal,
        })
        return { status: response.status, text: await textOf(response, maxBytes(path)) }
      }
      try {
        try {
          return await once()
        } catch (error) {
          if (controller.signal.aborted || !idempotent || error instanceof NodeAnswerError)
            throw error
          return await once()
        }
      } catch (error) {
        if (error instanceof NodeAnswerError) throw error
        throw controller.signal.aborted
          ? controller.signal.reason
          : new NodeUnreachableError({ cause: error })
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
    },
    async close() {},
  }
}

/** The text of an answer. @throws NodeAnswerError once it has more than `most` bytes; the rest is not received. */
async function textOf({ body }: Response, most: number): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  const reader = body?.getReader()
  for (;;) {
    const chunk = await reader?.read()
    if (!chunk?.value) return parts.join('') + decoder.decode()
    bytes += chunk.value.length
    if (bytes > most) {
      await reader?.cancel()
      throw new NodeAnswerError('the upstream node’s answer is too large')
    }
    parts.push(decoder.decode(chunk.value, { stream: true }))
  }
}

export declare namespace createFetchTransport {
  type Options = {
    /** @default globalThis.fetch */
    fetch?: typeof globalThis.fetch
    /** Sent with every call, such as an API key. */
    headers?: Record<string, string>
    /** Limit of one call in milliseconds. @default 10_000 */
    timeout?: number
  }
}
