import { type Context, Hono } from 'hono'
import type { Child } from 'hono/jsx'
import { encodeQR } from 'qr'
import type { Address, Hash } from 'viem'
import { getAddress } from 'viem/utils'

import { type CoinDecimals, grouped } from '../../codec/coin.ts'
import { parseAddress, toBase58Address } from '../../lib/address.ts'
import type { NativeClient } from '../../native/client.ts'
import type { TransactionInfo } from '../../native/wire/types.ts'
import type { VerifyReport } from '../../rpc/compare/verifier.ts'
import type { ChainWords } from '../../rpc/openrpc/chainJson.ts'
import { originOf } from '../../rpc/openrpc/routes.ts'
import { callOf } from '../env.ts'
import type { Health, HealthReader, Seen } from '../health.ts'
import { createAssets } from './assets.ts'
import { contractRoutes } from './contractRoutes.tsx'
import { type Content, createDocuments, missing } from './document.tsx'
import { etherscanRoutes } from './etherscan/routes.ts'
import { short } from './format.ts'
import { operationOf } from './operations.ts'
import {
  type AddressFacts,
  readAddress,
  readCreation,
  readHistory,
  readHoldings,
} from './reads/address.ts'
import { readBlock } from './reads/block.ts'
import { callFunction, functionKey, readFunctions } from './reads/contract.ts'
import { readEvents } from './reads/events.ts'
import { createHomeReader } from './reads/home.ts'
import { createLastHour } from './reads/lastHour.ts'
import { search } from './reads/search.ts'
import {
  type Artifacts,
  createSources,
  type NativeAt,
  type Request,
  type Source,
} from './reads/source.ts'
import { readStatus, readTransaction, type TransactionFacts } from './reads/transaction.ts'
import { findTransfers } from './reads/transferPage.ts'
import { walletChain } from './snippets.ts'
import type { TrafficReport } from './traffic.ts'
import { v1Routes } from './v1/routes.ts'
import {
  AddressPage,
  HISTORY_KINDS,
  Holdings,
  OF_CONTRACTS,
  Resources,
  type Tab,
  TABS,
  Transactions,
  Transfers,
} from './views/address.tsx'
import { Block } from './views/block.tsx'
import { Connect, type DevAccount } from './views/connect.tsx'
import { Console, type ConsoleMethod } from './views/console.tsx'
import { ContractTab } from './views/contract.tsx'
import { Events } from './views/events.tsx'
import { FoundTokens } from './views/found.tsx'
import { Home } from './views/home.tsx'
import type { Senders } from './views/senders.tsx'
import { State } from './views/state.tsx'
import { Transaction } from './views/transaction.tsx'

/** The web pages: explorer, console, connect, state. All URLs are stable, and all facts are shown without JavaScript. */
export function createPage({
  accounts,
  artifacts,
  chain,
  coinDecimals = 6,
  epoch,
  failureOf,
  health,
  methods,
  native,
  nativeAt,
  now = Date.now,
  request,
  traffic,
  verified = () => undefined,
}: createPage.Options): Hono {
  const { app: assetRoutes, assets } = createAssets()
  const sourceFor = createSources({
    artifacts,
    decimals: coinDecimals,
    epoch,
    native,
    nativeAt,
    request,
  })
  const sourceOf = (c: Context) => sourceFor(callOf(c))
  const readHome = createHomeReader()
  // The chart is the same for all visitors, so none is charged for it.
  const lastHour = createLastHour({ source: sourceFor(undefined), now })
  const { document, part } = createDocuments({ assets, chain, decimals: coinDecimals, health, now })
  const app = new Hono()
  app.route('/', assetRoutes)

  async function homeView(c: Context, before: number | undefined) {
    const home = await readHome(sourceOf(c), before)
    const hour = await lastHour(home)
    return <Home before={before} health={healthFor(c)} home={home} hour={hour} />
  }

  /** Clients see no addresses of nodes. */
  const healthFor = (c: Context<{ Variables: Seen }>) =>
    health(c.var.isOperator ? 'operator' : 'client')

  const stateView = (c: Context) => (
    <State health={healthFor(c)} traffic={traffic()} verified={verified()} />
  )

  app.get('/', (c) =>
    document(c, { title: 'Explorer' }, async () => ({
      html: await homeView(c, whole(c.req.query('to'))),
    })),
  )

  app.get('/page/home', async (c) => part(c, await homeView(c, undefined)))
  app.get('/page/state', (c) => part(c, stateView(c)))

  app.get('/block/:ref{[0-9]{1,15}|0x[0-9a-fA-F]{64}}', (c) => {
    const ref = c.req.param('ref').toLowerCase()
    const title = `Block ${ref.startsWith('0x') ? short(ref, 6) : grouped(BigInt(ref))}`
    return document(c, { title }, async () => {
      const facts = await readBlock(ref, whole(c.req.query('page')) ?? 0, sourceOf(c))
      if (!facts) return missing(`There is no block ${ref} on this chain.`)
      return { html: <Block facts={facts} /> }
    })
  })

  app.get('/tx/:hash{(?:0x)?[0-9a-fA-F]{64}}', (c) => {
    const hash: Hash = `0x${c.req.param('hash').replace(/^0x/i, '').toLowerCase()}`
    return document(c, { title: `Transaction ${short(hash)}` }, async () => {
      const facts = await readTransaction(hash, sourceOf(c), failureOf)
      if (!facts) {
        const { evidence, reason, state } = await readStatus(hash, sourceOf(c))
        const why = reason === undefined ? '' : ` (${reason})`
        return missing(
          `Transaction ${hash} is in no block. Its state is ${state}${why}: ${evidence}.`,
        )
      }
      return { html: <Transaction facts={facts} />, title: transactionTitle(facts, hash) }
    })
  })

  app.get('/address/:address{[0-9a-zA-Z]{34,44}}', (c) => {
    const address = parseAddress(c.req.param('address'))
    const title = address ? `Address ${short(getAddress(address))}` : 'Unknown address'
    return document(c, { title }, async () => {
      if (!address) return missing(`${c.req.param('address')} is not an address.`)
      return addressView(c, address)
    })
  })

  /** Whose transactions of Ethereum the visitor may send: of all accounts on a development chain, otherwise of managed ones. */
  const sendersFor = async (c: Context): Promise<Senders> =>
    accounts ? 'all' : sourceOf(c).ask<Address[]>('eth_accounts')

  app.route('/', contractRoutes({ part, sendersFor, sourceOf }))
  app.route('/', etherscanRoutes({ chainId: () => chain()?.id, sourceOf }))
  app.route('/', v1Routes({ now, sourceOf }))

  // EIP-3091.
  app.get('/token/:address', (c) =>
    c.redirect(`/address/${encodeURIComponent(c.req.param('address'))}`),
  )
  // A crawler that follows the links reads the whole chain from the node.
  app.get('/robots.txt', (c) => c.text('User-agent: *\nDisallow: /\n'))

  app.get('/search', async (c) => {
    const query = (c.req.query('q') ?? '').trim()
    const searching = search(query, sourceOf(c))
    const path = await searching.then(
      (found) => ('path' in found ? found.path : undefined),
      // The page below shows the error.
      () => undefined,
    )
    if (path !== undefined) return c.redirect(path)
    return document(c, { title: 'Search' }, async () => {
      const found = await searching
      if ('tokens' in found && found.tokens.length > 0)
        return { html: <FoundTokens tokens={found.tokens} /> }
      return missing(`Nothing on this chain matches “${query.slice(0, 100)}”.`)
    })
  })

  app.get('/console', (c) =>
    document(c, { active: 'Console', title: 'Console' }, async () => ({
      html: <Console methods={methods} origin={originOf(c)} />,
    })),
  )

  app.get('/connect', (c) =>
    document(c, { active: 'Connect', title: 'Connect' }, async (): Promise<Content> => {
      const words = chain()
      if (!words) return { html: <p>{WAITING}</p>, status: 503 }
      const senders = await sendersFor(c)
      return {
        html: <Connect chain={words} dev={accounts} origin={originOf(c)} senders={senders} />,
      }
    }),
  )

  app.get('/state', (c) =>
    document(c, { active: 'State', title: 'State' }, async () => ({ html: stateView(c) })),
  )

  return app

  async function addressView(c: Context, address: Address) {
    const source = sourceOf(c)
    const facts = await readAddress(address, source)
    const tab = tabOf(c, facts)
    const [creation, content] = await Promise.all([
      facts.code === '0x' ? undefined : readCreation(facts, source),
      tabView(c, tab, facts, source),
    ])
    const qr = qrOf(toBase58Address(address))
    const html = (
      <AddressPage creation={creation} facts={facts} qr={qr} tab={tab}>
        {content}
      </AddressPage>
    )
    return { html, title: addressTitle(facts) }
  }

  async function tabView(
    c: Context,
    tab: Tab,
    facts: AddressFacts,
    source: Source,
  ): Promise<Child> {
    const { address } = facts
    const place = { before: c.req.query('before'), after: c.req.query('after') }
    if (tab === 'transfers')
      return <Transfers address={address} page={await findTransfers(address, place, source)} />
    if (tab === 'events') {
      const name = c.req.query('event')
      const page = await readEvents(address, name, place, source)
      return <Events address={address} name={name} page={page} />
    }
    if (tab === 'tokens') return <Holdings holdings={await readHoldings(facts, source)} />
    if (tab === 'account') return <Resources facts={facts} />
    if (tab === 'contract') return contractView(c, facts, source)
    const kind = HISTORY_KINDS.find(([own]) => own === c.req.query('kind'))?.[0]
    const isSearch = c.req.query('search') === 'back'
    const history = await readHistory(address, kind, { ...place, isSearch }, source)
    return <Transactions address={address} history={history} kind={kind} />
  }

  async function contractView(c: Context, facts: AddressFacts, source: Source): Promise<Child> {
    const { address } = facts
    const functions = await readFunctions(facts, source)
    const key = c.req.query('call')
    const entry = functions.read.find((one) => functionKey(one) === key)
    const args = c.req.queries('arg') ?? []
    const answer = entry && (await callFunction(address, entry, args, source))
    const words = chain()
    return (
      <ContractTab
        address={address}
        answer={answer}
        code={facts.code}
        compilation={await source.compilation(address)}
        functions={functions}
        senders={await sendersFor(c)}
        token={facts.token}
        wallet={JSON.stringify(words && walletChain(words, originOf(c)))}
      />
    )
  }
}

export declare namespace createPage {
  type Options = {
    /** Funded accounts of the development chain, with public keys. */
    accounts?: readonly DevAccount[] | undefined
    /** Names and ABIs of contracts from the developer’s build folders. */
    artifacts?: Artifacts | undefined
    /** Undefined until the upstream has answered. */
    chain: () => ChainWords | undefined
    /** @default 6 */
    coinDecimals?: CoinDecimals
    epoch?: createSources.Options['epoch']
    /** Why a transaction failed, in words, if the chain knows more errors than the ABI of the contract. */
    failureOf?: ((info: TransactionInfo) => string) | undefined
    health: (reader?: HealthReader) => Health
    /** Methods that the console offers. */
    methods: readonly ConsoleMethod[]
    native: Pick<NativeClient, 'solidity' | 'wallet'>
    nativeAt: NativeAt
    /** @default Date.now */
    now?: () => number
    /** Calls the gateway’s own methods. */
    request: Request
    traffic: () => TrafficReport
    /** Comparisons with a second source; undefined when they are off. */
    verified?: () => VerifyReport | undefined
  }
}

const WAITING = 'The upstream has not answered yet. Reload this page in a moment.'

function tabOf(c: Context, { code }: AddressFacts): Tab {
  const given =
    c.req.query('tab') ?? (c.req.query('call') === undefined ? 'transactions' : 'contract')
  const [tab = 'transactions'] = TABS.find(([key]) => key === given) ?? []
  return OF_CONTRACTS.has(tab) && code === '0x' ? 'transactions' : tab
}

/** Thing and outcome: `Transfer failed 0x864c…d915`. */
function transactionTitle({ row, type }: TransactionFacts, hash: Hash): string {
  const name = type === undefined ? row.action : operationOf(type).name
  const shown = name.startsWith('0x') ? 'call' : name
  const outcome = { success: 'succeeded', failed: 'failed', pending: 'pending' }[row.status]
  return `${shown[0]?.toUpperCase()}${shown.slice(1)} ${outcome} ${short(hash)}`
}

function addressTitle({ address, code, token }: AddressFacts): string {
  const kind = token ? `Token “${token.symbol}”` : code === '0x' ? 'Account' : 'Contract'
  return `${kind} ${short(getAddress(address))}`
}

/** The squares of a QR code as an SVG path. */
function qrOf(text: string): { path: string; size: number } {
  const rows = encodeQR(text, 'raw', { border: 2 })
  const path = rows
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return { path, size: rows.length }
}

function whole(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
