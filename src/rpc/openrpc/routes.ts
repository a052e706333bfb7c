import { type Context, Hono } from 'hono'

import type { CoinDecimals } from '../../codec/coin.ts'
import { chainJson, type ChainWords } from './chainJson.ts'
import type { OpenRpcDocument } from './document.ts'

/** `GET /openrpc.json` and `GET /chain.json`, for tools of any origin. */
export function createDocumentRoutes({
  chain,
  decimals,
  document,
  hasPage,
}: createDocumentRoutes.Options): Hono {
  const app = new Hono()
  app.get('/openrpc.json', (c) => c.json(document(originOf(c))))
  app.get('/chain.json', (c) => {
    const words = chain()
    return words === undefined
      ? c.json({ error: 'the upstream has not answered yet, try again later' }, 503)
      : c.json(chainJson(words, originOf(c), hasPage, decimals))
  })
  return app
}

export declare namespace createDocumentRoutes {
  type Options = {
    /** Undefined until the upstream has answered. */
    chain: () => ChainWords | undefined
    /** Decimals of amounts at `/`. */
    decimals: CoinDecimals
    /** @param url - base URL with which the client reaches the gateway */
    document: (url: string) => OpenRpcDocument
    /** Whether the gateway serves the explorer. */
    hasPage: boolean
  }
}

/** The address that the client used. A proxy that terminates TLS reports the protocol in a header. */
export function originOf(c: Context): string {
  const url = new URL(c.req.url)
  const secure = url.protocol === 'https:' || c.req.header('x-forwarded-proto') === 'https'
  return `${secure ? 'https' : 'http'}://${url.host}`
}
