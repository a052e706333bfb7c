import { NodeTimeoutError, NodeUnreachableError } from '../errors.ts'
import type { NativeTransport } from './transport.ts'

/**
 * A transport over `fetch`, for programs and browsers that call a node directly. Servers use `createPoolTransport`,
 * which is faster and limits the number of sockets.
 *
 * @param url - base address of `/wallet` and `/walletsolidity`, with or without `/wallet`. It may have a path.
 */
export function createFetchTransport(
  url: string,
  { fetch = globalThis.fetch, headers = {}, timeout = 10_000 }: createFetchTransport.Options = {},
): NativeTransport {
  const base = url.replace(/\/+$/, '').replace(/\/wallet$/, '')

  return {
    async send(path, body, { idempotent, signal }) {
      signal?.throwIfAborted()
      const controller = new AbortController()
      const timer = setTimeout(() => controller.abort(new NodeTimeoutError(timeout)), timeout)
      const leave = () => controller.abort(signal?.reason)
      signal?.addEventListener('abort', leave, { once: true })
      const once = async () => {
        const response = await fetch(base + path, {
          body: body ?? null,
          headers:
            body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
          method: body === undefined ? 'GET' : 'POST',
          signal: controller.signal,
        })
        return { status: response.status, text: await response.text() }
      }
      try {
        try {
          return await once()
        } catch (error) {
          if (controller.signal.aborted || !idempotent) throw error
          return await once()
        }
      } catch (error) {
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
