import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Child } from 'hono/jsx'
import { stream } from 'hono/streaming'

import type { CoinDecimals } from '../../codec/coin.ts'
import { BeyondHeadError, isInvalidParams, RpcError } from '../../lib/errors.ts'
import type { ChainWords } from '../../rpc/openrpc/chainJson.ts'
import type { Health } from '../health.ts'
import type { Assets } from './assets.ts'
import { Nothing } from './views/found.tsx'
import { Layout, type LayoutFacts } from './views/layout.tsx'
import { View } from './views/parts.tsx'

/** Milliseconds that a page waits for its facts before it sends the frame first. */
const FACTS_TIMEOUT = 150

/** Scripts, styles and connections of this origin only; nothing inline, no frames. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Placeholder of the content while the frame is rendered. */
const CONTENT = 'content-goes-here'

/** The content of a page. The status is lost when the frame was sent first. */
export type Content = {
  html: Child
  status?: 200 | 400 | 404 | 502 | 503
  /** Better than the one of the address. The client script shows it when the frame was sent first. */
  title?: string
}

/** Writes whole documents, and parts of them for the client script. */
export function createDocuments({ assets, chain, decimals, health, now }: createDocuments.Options) {
  /** An element as HTML text. */
  async function written(element: Child): Promise<string> {
    const whole = <View.Provider value={{ decimals, now: now() }}>{element}</View.Provider>
    return (await html`${whole}`).toString()
  }

  return {
    /** Sends a part of a page. */
    part: async (c: Context, element: Child): Promise<Response> => {
      c.header('cache-control', 'no-store')
      c.header('x-content-type-options', 'nosniff')
      return c.html(await written(element))
    },

    /** Sends a document. If the facts take too long, the frame is sent first. */
    document: async (
      c: Context,
      { active = 'Explorer', title }: { active?: string; title: string },
      content: () => Promise<Content>,
    ): Promise<Response> => {
      const state = health()
      const layout: LayoutFacts = {
        assets,
        chain: chain(),
        decimals,
        head: state.head.number,
        version: state.version,
      }
      const frameOf = async (title: string) => {
        const frame = await written(
          <Layout active={active} title={title} facts={layout}>
            {CONTENT}
          </Layout>,
        )
        return `<!doctype html>${frame}`.split(CONTENT) as [string, string]
      }
      c.header('content-security-policy', POLICY)
      c.header('x-content-type-options', 'nosniff')
      c.header('referrer-policy', 'no-referrer')
      c.header('cache-control', 'no-store')
      const loading = content()
        .then(async ({ html, ...rest }) => ({ text: await written(html), ...rest }))
        .catch(async (error: unknown) => ({
          text: await written(failed(error)),
          status: statusOf(error),
          title: undefined,
        }))
      const early = await Promise.race([loading, pause(FACTS_TIMEOUT)])
      const [before, after] = await frameOf(early?.title ?? title)
      if (early) return c.html(before + early.text + after, early.status ?? 200)
      c.header('content-type', 'text/html; charset=utf-8')
      return stream(c, async (out) => {
        await out.write(before)
        const { text, title: better } = await loading
        await out.write(text)
        if (better !== undefined)
          await out.write(
            await written(
              <p id="late-title" hidden>
                {better}
              </p>,
            ),
          )
        await out.write(after)
      })
    },
  }
}

export declare namespace createDocuments {
  type Options = {
    assets: Assets
    /** Undefined until the upstream has answered. */
    chain: () => ChainWords | undefined
    decimals: CoinDecimals
    health: () => Health
    /** Milliseconds since 1970. */
    now: () => number
  }
}

/** The content for something that does not exist. */
export function missing(text: string): Content {
  return { html: <Nothing text={text} />, status: 404 }
}

/** The status of a page that cannot be shown. An invalid parameter in its address is not an error of a node. */
function statusOf(error: unknown): 400 | 404 | 502 {
  if (error instanceof BeyondHeadError) return 404
  return isInvalidParams(error) ? 400 : 502
}

function failed(error: unknown): Child {
  return (
    <p class="notice" role="alert">
      This page could not be read
      {error instanceof RpcError
        ? `: ${error.message.slice(0, 300)}`
        : ' because of an internal error'}
      . <a href="/state">See the state</a>
    </p>
  )
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref()
  })
}
