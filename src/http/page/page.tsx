import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { Child } from 'hono/jsx'
import { stream } from 'hono/streaming'
import type { Address, Hash } from 'viem'

import { parseAddress } from '../../lib/address.ts'
import type { NativeClient } from '../../native/client.ts'
import type { TransactionInfo } from '../../native/wire/types.ts'
import type { VerifyReport } from '../../rpc/compare/verifier.ts'
import { originOf } from '../../rpc/openrpc/routes.ts'
import type { Health } from '../health.ts'
import { createAssets } from './assets.ts'
import { createFacts, type Request } from './facts.ts'
import { hexText, short } from './format.ts'
import type { TrafficReport } from './traffic.ts'
import { AddressPage, type ReadResult } from './views/address.tsx'
import { Block } from './views/block.tsx'
import { Connect, type DevAccount } from './views/connect.tsx'
import { Console, type ConsoleMethod } from './views/console.tsx'
import { BlockTable, Explorer } from './views/explorer.tsx'
import { Layout, type LayoutFacts } from './views/layout.tsx'
import { State } from './views/state.tsx'
import { Transaction } from './views/transaction.tsx'

/** Blocks on the start page. */
const BLOCKS = 15

/** Milliseconds that a page waits for its facts before it sends the frame first. */
const FACTS_TIMEOUT = 150

/** Scripts, styles and connections of this origin only; nothing inline, no frames. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Placeholder of the content while the frame is rendered. */
const CONTENT = 'content-goes-here'

/** The web pages: explorer, console, connect, state. All URLs are stable, and all facts are shown without JavaScript. */
export function createPage({
  accounts,
  failureOf = ({ resMessage }) => hexText(resMessage) ?? '',
  health,
  methods,
  native,
  now = Date.now,
  request,
  traffic,
  verified = () => undefined,
}: createPage.Options): Hono {
  const { app: assetRoutes, assets } = createAssets()
  const facts = createFacts({ native, request })
  const app = new Hono()
  app.route('/', assetRoutes)

  /** Sends a document. If the facts take too long, the frame is sent first. */
  async function document(
    c: Context,
    { active, title }: { active: string; title: string },
    content: () => Promise<Content>,
  ): Promise<Response> {
    const state = health()
    const layout: LayoutFacts = {
      assets,
      chainId: state.chainId === undefined ? undefined : Number(state.chainId),
      head: state.head.number,
      version: state.version,
    }
    const frame = await written(
      <Layout active={active} title={title} facts={layout}>
        {CONTENT}
      </Layout>,
    )
    const [before = '', after = ''] = `<!doctype html>${frame}`.split(CONTENT)
    c.header('content-security-policy', POLICY)
    c.header('x-content-type-options', 'nosniff')
    c.header('referrer-policy', 'no-referrer')
    c.header('cache-control', 'no-store')
    const loading = content().catch(failed)
    const early = await Promise.race([loading, pause(FACTS_TIMEOUT)])
    if (early) return c.html(before + (await written(early.html)) + after, early.status ?? 200)
    c.header('content-type', 'text/html; charset=utf-8')
    return stream(c, async (out) => {
      await out.write(before)
      await out.write(await written((await loading).html))
      await out.write(after)
    })
  }

  app.get('/', (c) =>
    document(c, { active: 'Explorer', title: 'Explorer' }, async () => {
      const newest = whole(c.req.query('to')) ?? (await facts.head())
      const blocks = await facts.blocks(Math.min(newest, await facts.head()), BLOCKS)
      return {
        html: <Explorer blocks={blocks} health={health()} now={now()} origin={originOf(c)} />,
      }
    }),
  )

  app.get('/page/blocks', async (c) => {
    const blocks = await facts.blocks(await facts.head(), BLOCKS)
    c.header('cache-control', 'no-store')
    return c.html(<BlockTable blocks={blocks} now={now()} />)
  })

  app.get('/page/state', (c) => {
    c.header('cache-control', 'no-store')
    return c.html(<State health={health()} traffic={traffic()} verified={verified()} />)
  })

  app.get('/block/:ref{[0-9]{1,15}|0x[0-9a-fA-F]{64}}', (c) => {
    const ref = c.req.param('ref').toLowerCase()
    return document(c, { active: 'Explorer', title: `Block ${short(ref)}` }, async () => {
      const block = await facts.block(ref)
      if (!block) return missing(`There is no block ${ref} on this chain.`)
      return {
        html: (
          <Block
            facts={block}
            head={await facts.head()}
            now={now()}
            page={whole(c.req.query('page')) ?? 0}
          />
        ),
      }
    })
  })

  app.get('/tx/:hash{(0x)?[0-9a-fA-F]{64}}', (c) => {
    const hash = withPrefix(c.req.param('hash'))
    return document(c, { active: 'Explorer', title: `Transaction ${short(hash)}` }, async () => {
      const transaction = await facts.transaction(hash)
      if (!transaction) return missing(`There is no transaction ${hash} on this chain.`)
      return { html: <Transaction facts={transaction} failureOf={failureOf} now={now()} /> }
    })
  })

  app.get('/address/:address{[0-9a-zA-Z]{34,44}}', (c) => {
    const address = parseAddress(c.req.param('address'))
    const title = address ? `Address ${short(address)}` : 'Unknown address'
    return document(c, { active: 'Explorer', title }, async () => {
      if (!address) return missing(`${c.req.param('address')} is not an address.`)
      const read = await readResult(c, address)
      return { html: <AddressPage facts={await facts.address(address)} read={read} /> }
    })
  })

  app.get('/search', async (c) => {
    const query = (c.req.query('q') ?? '').trim()
    const target = await searchTarget(query)
    if (target) return c.redirect(target)
    return document(c, { active: 'Explorer', title: 'Search' }, async () =>
      missing(`Nothing on this chain matches "${query.slice(0, 100)}".`),
    )
  })

  app.get('/console', (c) =>
    document(c, { active: 'Console', title: 'Console' }, async () => ({
      html: <Console methods={methods} origin={originOf(c)} />,
    })),
  )

  app.get('/connect', (c) =>
    document(c, { active: 'Connect', title: 'Connect' }, async () => {
      const { chainId } = health()
      if (chainId === undefined) return { html: <p>{WAITING}</p>, status: 503 }
      return {
        html: <Connect chainId={Number(chainId)} dev={accounts} origin={originOf(c)} />,
      }
    }),
  )

  app.get('/state', (c) =>
    document(c, { active: 'State', title: 'State' }, async () => ({
      html: <State health={health()} traffic={traffic()} verified={verified()} />,
    })),
  )

  return app

  async function readResult(c: Context, address: Address): Promise<ReadResult | undefined> {
    const key = c.req.query('call')
    if (key === undefined) return undefined
    const args = c.req.queries('arg') ?? []
    try {
      const value = await facts.read(address, key, args)
      return value === undefined
        ? { key, args, error: 'The contract has no such function.' }
        : { key, args, value }
    } catch (error) {
      return { key, args, error: firstLine(error) }
    }
  }

  async function searchTarget(query: string): Promise<string | undefined> {
    if (/^\d{1,15}$/.test(query)) return `/block/${query}`
    if (/^(0x)?[0-9a-f]{64}$/i.test(query)) {
      const hash = withPrefix(query)
      const block = await request({ method: 'eth_getBlockByHash', params: [hash, false] })
      return block ? `/block/${hash}` : `/tx/${hash}`
    }
    const address = query.length <= 44 ? parseAddress(query) : undefined
    if (address) return `/address/${address}`
    return /^0x[0-9a-f]{1,12}$/i.test(query) ? `/block/${Number(query)}` : undefined
  }
}

export declare namespace createPage {
  type Options = {
    /** Funded accounts of the dev chain, with public keys. */
    accounts?: readonly DevAccount[] | undefined
    /** Why a transaction failed. @default the text of the node */
    failureOf?: ((info: TransactionInfo) => string) | undefined
    health: () => Health
    /** Methods that the console offers. */
    methods: readonly ConsoleMethod[]
    native: Pick<NativeClient, 'wallet'>
    /** @default Date.now */
    now?: () => number
    /** Calls the gateway’s own methods. */
    request: Request
    traffic: () => TrafficReport
    /** Comparisons with a second source; undefined when they are off. */
    verified?: () => VerifyReport | undefined
  }
}

type Content = { html: Child; status?: 200 | 404 | 502 | 503 }

const WAITING = 'The upstream has not answered yet. Reload this page in a moment.'

async function missing(text: string): Promise<Content> {
  return { html: <p class="notice">{text}</p>, status: 404 }
}

async function failed(error: unknown): Promise<Content> {
  return {
    html: (
      <p class="notice" role="alert">
        This page could not be read: {firstLine(error)} <a href="/state">See the state</a>
      </p>
    ),
    status: 502,
  }
}

/** An element as HTML text. */
async function written(element: Child): Promise<string> {
  return (await html`${element}`).toString()
}

/** The first line of an error: libraries add lines of explanation. */
function firstLine(error: unknown): string {
  return ((error as Error).message.split('\n')[0] ?? '').slice(0, 300)
}

function withPrefix(hex: string): Hash {
  return `0x${hex.replace(/^0x/i, '').toLowerCase()}`
}

function whole(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref()
  })
}
