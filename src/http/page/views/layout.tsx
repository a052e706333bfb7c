import type { Child } from 'hono/jsx'

import { type CoinDecimals, grouped } from '../../../codec/coin.ts'
import type { ChainWords } from '../../../rpc/openrpc/chainJson.ts'
import type { Assets } from '../assets.ts'

/** Sections of the page, in the order of the navigation. */
const SECTIONS = [
  { href: '/', name: 'Explorer' },
  { href: '/console', name: 'Console' },
  { href: '/connect', name: 'Connect' },
  { href: '/state', name: 'State' },
] as const

/** The data of every page. */
export type LayoutFacts = {
  assets: Assets
  /** Undefined until the upstream has answered. */
  chain: ChainWords | undefined
  decimals: CoinDecimals
  /** Newest block; null before the first. */
  head: number | null
  version: string
}

/** The document around the content of a page. */
export function Layout({
  active,
  children,
  facts,
  title,
}: {
  title: string
  active: string
  facts: LayoutFacts
  children?: Child
}) {
  const { assets, chain, decimals, head, version } = facts
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${chain?.name ?? 'ethgate'}`}</title>
        <link rel="icon" href={assets.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.style} />
        <script type="module" src={assets.script} />
      </head>
      <body
        data-chain-id={chain ? String(chain.id) : ''}
        data-decimals={String(decimals)}
        data-native-script={assets.native}
      >
        <a class="skip" href="#content">
          Skip to content
        </a>
        <header>
          <div class="bar">
            <a class="brand" href="/">
              <img src={assets.icon} alt="" width="24" height="24" /> ethgate
            </a>
            <nav aria-label="Sections">
              {SECTIONS.map(({ href, name }) => (
                <a href={href} {...(name === active && { 'aria-current': 'page' })}>
                  {name}
                </a>
              ))}
            </nav>
            <form action="/search" role="search">
              <label class="hidden" for="search">
                Block, transaction, address or token
              </label>
              <input
                id="search"
                name="q"
                type="search"
                placeholder="Block, transaction, address or token"
                autocomplete="off"
                spellcheck={false}
                aria-keyshortcuts="/"
                required
              />
              <button type="submit">Search</button>
            </form>
          </div>
        </header>
        <main id="content">
          <div class="title">
            <h1>{title}</h1>
            <p class="switches needs-script">
              <button type="button" class="link" data-switch="addresses" aria-pressed="false">
                Addresses as T…
              </button>
              <button type="button" class="link" data-switch="times" aria-pressed="false">
                Exact times
              </button>
            </p>
          </div>
          {children}
        </main>
        <footer>
          <p>
            ethgate {version}
            {chain &&
              ` · ${chain.name === `Chain ${chain.id}` ? '' : `${chain.name}, `}chain ${chain.id}`}{' '}
            · head{' '}
            <output data-live="head" aria-live="off">
              {head === null ? 'unknown' : grouped(head)}
            </output>
          </p>
          <p>
            <a href="/health">health</a> <a href="/metrics">metrics</a>{' '}
            <a href="/openrpc.json">openrpc.json</a> <a href="/chain.json">chain.json</a>
          </p>
        </footer>
      </body>
    </html>
  )
}
