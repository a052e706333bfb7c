import { setFlagsFromString } from 'node:v8'

import { type Command, Option } from 'commander'

import { LAST_TIME } from '../../codec/block.ts'
import type { Config } from '../../config/config.ts'
import { MIB } from '../../config/values.ts'
import { type Hardfork, HARDFORKS, DEFAULT_HARDFORK } from '../../devchain/state/hardforks.ts'
import { loadOptionalPart } from '../../lib/optionalPart.ts'
import { usageError } from '../base/errors.ts'
import { findBuildFolder } from '../text/buildFolder.ts'
import { readBytes } from '../text/input.ts'
import { wholeNumber } from '../text/number.ts'
import { addCommand } from '../words/command.ts'
import { addConfigOptions, configOf } from '../words/configOptions.ts'
import { addForkOptions, forkOf } from '../words/forkOptions.ts'

type Flags = Record<string, string | boolean | undefined>

/** Options of a gateway in front of a node that have no meaning for a chain in this process. */
const NOT_FOR_DEV = [
  'config',
  'upstream',
  'upstreamSolidity',
  'upstreamRpc',
  'upstreamGrpc',
  'upstreamHeader',
  'upstreamTimeout',
  'upstreamSockets',
  'upstreamRate',
  'headQuorum',
  'walletPassthrough',
  'verifyRate',
  'simulate',
  'predictedAddresses',
  'redis',
  'redisPrefix',
  'keys',
  'dataDir',
  'stateWindow',
  'index',
  'indexFrom',
  'indexRate',
  'store',
  'storeBytes',
  'storeFill',
] as const satisfies readonly (keyof Config)[]

/** Options that developers use and `--help` shows. The others are limits and times of a service. */
const SHOWN = [
  'host',
  'port',
  'keysPublic',
  'logFormat',
  'logLevel',
  'slow',
  'page',
  'chainName',
  'symbol',
  'feeSignal',
  'cors',
  'allowedHosts',
] as const satisfies readonly (keyof Config)[]

/**
 * Defaults that differ from those of a gateway. There is no load balancer in front, so a signal stops the chain without a
 * delay. The terminal already shows calls, so the log shows only warnings. The chain is in memory, so it takes little time to
 * read a block again.
 */
const DEFAULTS = { cacheBytes: String(64 * MIB), drainDelay: '0', logLevel: 'warn' }

/** Declares `ethgate dev`: a chain in this process with the gateway in front. */
export function addDevCommand(program: Command): void {
  const command = addCommand(program, 'dev', {
    summary: 'run and serve a development chain with funded accounts',
    description:
      'Runs a chain in this process and serves it on one port: Ethereum JSON-RPC at / and the native HTTP API at /wallet and /walletsolidity. The keys of its accounts are public, so use it for development only.',
    examples: [
      ['ethgate dev', 'ten funded accounts, a block for each transaction'],
      ['ethgate dev --decimals 18', 'run the tests of an Ethereum project unchanged'],
      ['ethgate dev --profile native', 'addresses, fees and block times of the real chain'],
      ['ethgate dev --state chain.jsonl', 'keep the chain after a restart'],
      ['ethgate dev --fork http://127.0.0.1:8090', 'fork the chain of a node'],
    ],
  })
    .option(
      '--artifacts <dir>',
      'build folder of Hardhat or Foundry: failures name the custom errors of its contracts (default: the one of the project in the working directory)',
    )
    .option('--no-artifacts', 'do not read a build folder')
    .option('--accounts <n>', 'funded accounts (default 10)')
    .option('--balance <coins>', 'coins of each account (default 10000)')
    .option('--mnemonic <words>', 'mnemonic of the accounts (default: test test … junk)')
    .option('--derivation-path <path>', "derivation path of the accounts (default: m/44'/60'/0'/0)")
    .option(
      '--chain-id <n>',
      'chain id (default: the last four bytes of the genesis hash; with --decimals 18 31337)',
    )
    .addOption(
      new Option('--decimals <n>', 'decimals of the coin; 18 as on Ethereum (default 6)').choices([
        '6',
        '18',
      ]),
    )
    .addOption(
      new Option(
        '--energy <rule>',
        `EVM and cost of contracts: of this chain (native), of Ethereum (ethereum: ${DEFAULT_HARDFORK}) or of another one (default: ethereum with 18 decimals, else native)`,
      ).choices(['native', 'ethereum', ...HARDFORKS]),
    )
    .addOption(
      new Option(
        '--profile <name>',
        'ethereum: behave as development tools expect; native: behave like the real chain (default ethereum)',
      ).choices(['ethereum', 'native']),
    )
    .addOption(
      new Option(
        '--contract-addresses <rule>',
        'how addresses of contracts are derived in Ethereum transactions (default: by profile)',
      ).choices(['ethereum', 'native']),
    )
    .addOption(
      new Option(
        '--fees <rule>',
        'fees of Ethereum transactions: gas times price, or bandwidth and energy as on the real chain (default: by profile)',
      ).choices(['gas', 'native']),
    )
    .option(
      '--block-time <seconds>',
      'seconds between blocks without transactions; 0 for none (default 0, with the native profile 3)',
    )
    .option(
      '--no-automine',
      'do not produce a block for each transaction; wait for the next block time',
    )
    .addOption(
      new Option(
        '--raw-reverts <answer>',
        'what eth_sendRawTransaction answers for a transaction that fails: an error as Hardhat, the hash as anvil (default auto: an error for Hardhat only)',
      ).choices(['auto', 'error', 'hash']),
    )
    .option(
      '--producers <n>',
      'number of block producers; with several, blocks are solidified later (default 1, with the native profile 5)',
    )
    .option(
      '--seed <text>',
      'make the chain reproducible: block times start at a fixed date, three seconds a block',
    )
    .option(
      '--timestamp <time>',
      'time at which the chain starts: seconds, or a date such as 2019-03-06 (default: now)',
    )
    .option('--state <file>', 'file that stores the chain, to continue after a restart')
    .option('--load-state <file>', 'start with the chain in this file (from anvil_dumpState)')
    .option('--dump-state <file>', 'write the chain to this file on exit')
    .option('--silent', 'do not show accounts and calls on the terminal')
    .option('-v, --verbose', 'also show parameters and results of calls')
    .addOption(new Option('-p <port>', 'the same as --port'))
    .addOption(new Option('--upstream <url>').hideHelp())
  addConfigOptions(addForkOptions(command), NOT_FOR_DEV, SHOWN, DEFAULTS).action(
    async (flags: Flags) => {
      if (flags['upstream'] !== undefined)
        throw usageError(
          'dev runs its own chain: use --fork URL to fork the chain of a node, or "ethgate serve --upstream URL" to serve a node',
        )
      const { runDevChain } = await loadOptionalPart(() => import('../../devchain/node/run.ts'))
      const output = flags['silent'] ? 'silent' : flags['verbose'] ? 'verbose' : 'calls'
      await runDevChain({
        config: devConfig(flags),
        chain: await chainOptions(flags),
        fork: forkOf(flags),
        output,
        ...(await stateFiles(flags)),
      })
      compileEarly()
    },
  )
}

/**
 * Lets V8 compile a function to machine code at its first call. Otherwise V8 interprets a function until it was called often, and
 * most development chains run for a short time. Called after the start, because it makes the start slower.
 */
function compileEarly(): void {
  setFlagsFromString('--always-sparkplug')
}

function devConfig({ p, ...flags }: Flags): Config {
  const ignored = new Set<string>(NOT_FOR_DEV.map(environmentName))
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ignored.has(name)))
  return configOf({ ...(p !== undefined && { port: p }), ...flags }, { ...defaultEnv, ...env })
}

function environmentName(option: string): string {
  return `ETHGATE_${option.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`
}

const defaultEnv = Object.fromEntries(
  Object.entries(DEFAULTS).map(([name, value]) => [environmentName(name), value]),
)

async function stateFiles({ dumpState, loadState, state }: Flags) {
  if (state !== undefined && loadState !== undefined)
    throw usageError('--load-state: the chain in --state already has a state')
  return {
    ...(typeof dumpState === 'string' && { dumpState }),
    ...(typeof loadState === 'string' && {
      loadState: stateIn(await readBytes(loadState, '--load-state')),
    }),
  }
}

/** The state in a file: as `--dump-state` writes it, or the answer of `anvil_dumpState`, with or without quotes. */
function stateIn(file: Buffer): Uint8Array {
  // Compressed bytes, which can be too long for one text.
  if (file[0] === 0x1f) return file
  const [, hex] = /^"?0x([\da-f]+)"?$/i.exec(file.toString('latin1').trim()) ?? []
  return hex === undefined ? file : Buffer.from(hex, 'hex')
}

async function chainOptions(flags: Flags) {
  const artifacts = flags['artifacts'] as string | false | undefined
  const { contractAddresses, derivationPath, energy, fees, mnemonic, rawReverts, seed, state } =
    flags
  const timestamp = startTime(flags['timestamp'])
  const blockTime = seconds(flags['blockTime'])
  await checkAccounts(flags)
  return {
    accounts: {
      count: wholeNumber(String(flags['accounts'] ?? 10), '--accounts', 1, 1000),
      balance: BigInt(
        wholeNumber(String(flags['balance'] ?? 10_000), '--balance', 0, 9_000_000_000),
      ),
      ...(typeof mnemonic === 'string' && { mnemonic }),
      ...(typeof derivationPath === 'string' && { derivationPath }),
    },
    artifacts: artifacts === false ? undefined : (artifacts ?? findBuildFolder(process.cwd())),
    mining: {
      automine: flags['automine'] !== false,
      ...(blockTime !== undefined && { blockTime }),
    },
    rules: {
      ...(flags['chainId'] !== undefined && {
        chainId: wholeNumber(String(flags['chainId']), '--chain-id', 1, 0xffff_ffff),
      }),
      decimals: flags['decimals'] === '18' ? (18 as const) : (6 as const),
      ethereum: {
        ...(contractAddresses && { addresses: contractAddresses as 'ethereum' | 'native' }),
        ...(fees && { fees: fees as 'gas' | 'native' }),
        ...(energy && { energy: energy === 'ethereum' ? DEFAULT_HARDFORK : (energy as Hardfork) }),
        ...(rawReverts && { rawReverts: rawReverts as 'auto' | 'error' | 'hash' }),
      },
      producers: wholeNumber(
        String(flags['producers'] ?? (flags['profile'] === 'native' ? 5 : 1)),
        '--producers',
        1,
        27,
      ),
      profile: flags['profile'] === 'native' ? ('native' as const) : ('ethereum' as const),
    },
    ...(typeof state === 'string' && { state }),
    time: {
      ...(typeof seed === 'string' && { seed }),
      ...(timestamp !== undefined && { timestamp }),
    },
  }
}

/** Checks the options that the accounts are derived from, so that the message names the one that is wrong. */
async function checkAccounts({ derivationPath, mnemonic }: Flags): Promise<void> {
  if (typeof mnemonic !== 'string' && typeof derivationPath !== 'string') return
  const { assertDerivationPath, devAccounts } = await import('../../devchain/state/keys.ts')
  const path = typeof derivationPath === 'string' ? derivationPath : undefined
  const check = (option: string, read: () => void) => {
    try {
      read()
    } catch (error) {
      throw usageError(`${option}: ${(error as Error).message}`)
    }
  }
  if (path !== undefined) check('--derivation-path', () => assertDerivationPath(path))
  // The chain uses the derived key again.
  if (typeof mnemonic === 'string') check('--mnemonic', () => devAccounts(0, mnemonic, path))
}

function seconds(text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(String(text)) || value > 86_400)
    throw usageError(`--block-time needs seconds from 0 to 86400, got "${String(text)}"`)
  return Math.round(value * 1000)
}

/** The milliseconds of `--timestamp`. */
function startTime(text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = /^\d+$/.test(String(text)) ? Number(text) * 1000 : Date.parse(String(text))
  if (!(time > 0 && time <= LAST_TIME))
    throw usageError(
      `--timestamp needs seconds or a date such as 2019-03-06, from 1970 to 141338, got "${String(text)}"`,
    )
  return time - (time % 1000)
}
