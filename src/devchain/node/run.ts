import { writeFileSync } from 'node:fs'

import type { Config } from '../../config/config.ts'
import { serve } from '../../gateway/process/serve.ts'
import { toBase58 } from '../../lib/base58.ts'
import { lockFile } from '../../lib/lockFile.ts'
import { COIN, createDevChain, type DevChain, MNEMONIC } from '../index.ts'
import { createAnnouncer } from './announce.ts'
import { type connectFork, describeFork, openFork } from './fork.ts'
import { gatewayOptions } from './gatewayOptions.ts'
import { createTerminal } from './terminal/terminal.ts'

/** Runs a chain with the gateway in front of it until a signal ends the process. Resolves when it listens. */
export async function runDevChain(options: runDevChain.Options): Promise<void> {
  const unlock = await lockState(options.chain.state)
  const fork = await openFork(options.fork, options.chain.state)
  let running: serve.Running | undefined
  const chain = await createDevChain({
    ...options.chain,
    fork,
    mining: {
      ...options.chain.mining,
      onError: (err) => running?.log.error({ err }, 'a block could not be made'),
    },
  })
  if (options.loadState !== undefined) await chain.loadState(options.loadState)
  await chain.start()
  const decimals = options.chain.rules?.decimals ?? 6
  const terminal =
    options.output === 'silent'
      ? undefined
      : createTerminal({
          chain,
          color: process.stdout.isTTY && !process.env['NO_COLOR'],
          decimals,
          verbose: options.output === 'verbose',
          write: (text) => void process.stdout.write(text),
        })
  const announcer = createAnnouncer(chain, terminal?.around)
  running = await serve({
    config: options.config,
    ...gatewayOptions(chain, announcer, terminal, decimals),
    async onStop() {
      await chain.close()
      terminal?.close()
      if (options.dumpState !== undefined) writeFileSync(options.dumpState, chain.dumpState())
      unlock?.()
    },
  })
  const { gateway, log, url } = running
  const { head } = await gateway.ready
  announcer.announceTo(head)
  if (terminal) process.stdout.write(banner(chain, url, options.chain, options.config))
  else if (fork) log.warn(describeFork(fork))
}

export declare namespace runDevChain {
  type Options = {
    config: Config
    chain: createDevChain.Options
    /** The chain to fork. */
    fork?: connectFork.Options | undefined
    /** Terminal output: nothing, calls, or calls with their parameters and results. */
    output: 'silent' | 'calls' | 'verbose'
    /** A dumped state to start with. */
    loadState?: Uint8Array | undefined
    /** File to write the state to on exit. */
    dumpState?: string | undefined
  }
}

/** Locks the file that stores the chain, because the blocks of two processes would damage it. */
async function lockState(file: string | undefined): Promise<(() => void) | undefined> {
  if (file === undefined) return undefined
  try {
    return await lockFile(`${file}.lock`)
  } catch (cause) {
    throw new Error(`--state ${file}: ${(cause as Error).message}`, { cause })
  }
}

/** A number with commas. `toLocaleString` would load the tables of all languages, which takes 10 ms of the start. */
const grouped = (number: bigint) => `${number}`.replace(/\B(?=(\d{3})+$)/g, ',')

/** The text at the start: accounts with their keys, chain id and URLs. */
function banner(
  chain: DevChain,
  url: string,
  { accounts = {}, artifacts, rules = {} }: createDevChain.Options,
  { chainName, page }: Config,
): string {
  const { balance = 10_000n, mnemonic = MNEMONIC } = accounts
  const { decimals = 6, profile } = rules
  const rows = chain.accounts.map(
    ({ address, key }, index) =>
      `(${index}) 0x${address.slice(2)}  ${toBase58(address)}\n    0x${key}`,
  )
  const coins = grouped(balance)
  const units = decimals === 18 ? '' : ` (${grouped(balance * COIN)} sun)`
  const notes = [
    ...(decimals === 18
      ? [
          'Unlike the real chain, the coin has 18 decimals here and native transactions are refused.',
        ]
      : []),
    ...(profile === 'native'
      ? []
      : [
          'Contracts get the addresses that Ethereum tools predict; with --profile native they get those of the real chain.',
        ]),
  ]
  return `
Accounts with ${coins} coins each${units} and their private keys.
These keys are public: never send anything of value to them.

${rows.join('\n')}

Mnemonic   ${mnemonic}
${chainName === undefined ? '' : `Chain      ${chainName}\n`}Chain id   ${chain.chainId} (0x${chain.chainId.toString(16)})
${artifacts === undefined ? '' : `Artifacts  ${artifacts}\n`}${chain.fork ? describeFork(chain.fork) : ''}JSON-RPC   ${url}
Native     ${url}/wallet and ${url}/walletsolidity
${page === 'on' ? `Explorer   ${url}\n` : ''}${notes.map((note) => `\n${note}`).join('')}
`
}
