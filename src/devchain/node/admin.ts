import type { IncomingMessage } from 'node:http'

import { Hono } from 'hono'
import { formatUnits } from 'viem/utils'

import { isLocal } from '../../http/access.ts'
import { toBase58 } from '../../lib/base58.ts'
import { VERSION } from '../../lib/version.ts'
import { balanceOf, type DevAccount, devAccounts, type DevChain } from '../index.ts'

/** Accounts with what they are derived from, as TRE prints them. */
type Wallet = { hdPath: string; mnemonic: string; privateKeys: string[] }

/** The most accounts of one request. */
const MOST_ACCOUNTS = 1_000

/** Coins of a new account. */
const BALANCE = 10_000n

/**
 * The pages of TRE with the funded accounts and their keys, which TronBox reads. Only for programs on this machine: the keys of a
 * mnemonic of the user are not public.
 */
export function createAdminApp(chain: DevChain): Hono {
  let accounts: readonly DevAccount[] = chain.accounts
  let wallet = walletOf(chain.mnemonic, chain.derivationPath, accounts)
  const more: Wallet[] = []
  /** What `set-env` has set for the next generation of accounts. */
  let settings: Record<string, string> = {}

  async function generate(given: Record<string, string>): Promise<[Wallet, DevAccount[]]> {
    const { english, generateMnemonic } = await import('viem/accounts')
    const asked = { ...settings, ...given }
    const count = numberOf(asked['accounts'], 10, MOST_ACCOUNTS)
    const balance = BigInt(numberOf(asked['defaultBalance'], Number(BALANCE), 9_000_000_000))
    const path = asked['hdPath'] ?? chain.derivationPath
    const words = asked['mnemonic'] ?? generateMnemonic(english)
    const made = devAccounts(count, words, path)
    for (const { address } of made)
      await chain.changeAccount(address, { balance: balance * 10n ** BigInt(chain.decimals) })
    return [walletOf(words, path, made), made]
  }

  function listing(format = 'base58'): string {
    const state = chain.ledger.newestState()
    const shown = (address: string) =>
      format === 'hex'
        ? address
        : format === 'all'
          ? `${toBase58(address)} (${address})`
          : toBase58(address)
    const rows = accounts.map(({ address }, index) => {
      const balance = formatUnits(balanceOf(state, address), chain.decimals)
      return `(${index}) ${shown(address)} (${balance} coins)`
    })
    const keys = accounts.map(({ key }, index) => `(${index}) ${key}`)
    return `Available Accounts
==================

${rows.join('\n')}

Private Keys
==================

${keys.join('\n')}

HD Wallet
==================
Mnemonic:      ${wallet.mnemonic}
Base HD Path:  ${wallet.hdPath}{account_index}
`
  }

  return new Hono()
    .get('/healthcheck', (context) => context.text('OK'))
    .use('/admin/*', async (context, next) => {
      const { incoming } = context.env as { incoming: IncomingMessage }
      if (isLocal(incoming)) return next()
      return context.text('the keys of accounts are shown to programs on this machine only', 403)
    })
    .get('/admin', (context) => context.text(`Welcome to ethgate ${VERSION}`))
    .get('/admin/accounts', (context) => context.text(listing(context.req.query('format'))))
    .get('/admin/accounts-json', (context) => context.json({ ...wallet, more }))
    .get('/admin/temporary-accounts-generation', async (context) => {
      const [made] = await generate(context.req.query())
      more.push(made)
      return context.text(`${made.privateKeys.join('\n')}\n`)
    })
    .get('/admin/accounts-generation', async (context) => {
      ;[wallet, accounts] = await generate({})
      return context.text(listing())
    })
    .get('/admin/set-env', (context) => {
      settings = { ...settings, ...context.req.query() }
      return context.text('Environment variable updated')
    })
    .onError((error, context) => context.text(error.message, 400))
}

const walletOf = (mnemonic: string, path: string, list: readonly DevAccount[]): Wallet => ({
  hdPath: `${path.replace(/\/+$/, '')}/`,
  mnemonic,
  privateKeys: list.map(({ key }) => key),
})

/** @throws Error when the text is no whole number from 1 to `most` */
function numberOf(text: string | undefined, or: number, most: number): number {
  if (text === undefined || text === '') return or
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return value
  throw new Error(`expected a whole number from 1 to ${most}, got "${text}"`)
}
