import { type Command, Option } from 'commander'

import type { connectFork } from '../../devchain/node/fork.ts'
import { usageError } from '../base/errors.ts'

type Flags = Record<string, string | boolean | undefined>

/** Options that have no meaning with a fork. */
const CONFLICTS: Readonly<Record<string, string>> = {
  chainId: '--chain-id: a fork has the chain id of its chain',
  decimals: '--decimals: a fork has the decimals of its chain',
  timestamp: '--timestamp: a fork starts at the time of its block',
}

/** Adds the options of a fork. The names that anvil uses work too. */
export function addForkOptions(command: Command): Command {
  return command
    .option('--fork <url>', 'fork the chain of a node; the address of its HTTP API')
    .option('--fork-block <n>', 'block to fork from (default: the newest)')
    .option(
      '--fork-rpc <url>',
      'JSON-RPC of that node, for contract storage (default: detected from --fork)',
    )
    .option('--fork-header <header>', '"name: value" sent to that node, such as an API key')
    .option(
      '--fork-cache <folder>',
      'folder for cached reads; "off" for none (default: in the user’s cache folder)',
    )
    .addOption(new Option('-f, --fork-url <url>').hideHelp())
    .addOption(new Option('--fork-block-number <n>').hideHelp())
}

/** The fork that the flags describe. @throws CommandError with exit code 2 */
export function forkOf(flags: Flags): connectFork.Options | undefined {
  const url = flags['fork'] ?? flags['forkUrl']
  if (typeof url !== 'string') {
    for (const name of ['forkBlock', 'forkBlockNumber', 'forkRpc', 'forkHeader', 'forkCache'])
      if (flags[name] !== undefined)
        throw usageError('the node to fork is missing: give --fork URL')
    return undefined
  }
  for (const [name, text] of Object.entries(CONFLICTS))
    if (flags[name] !== undefined) throw usageError(text)
  const block = flags['forkBlock'] ?? flags['forkBlockNumber']
  if (block !== undefined && !/^\d{1,15}$/.test(String(block)))
    throw usageError(`--fork-block needs a block number, got "${String(block)}"`)
  return {
    url,
    number: block === undefined ? undefined : Number(block),
    rpcUrl: textOf(flags['forkRpc']),
    header: textOf(flags['forkHeader']),
    cache: textOf(flags['forkCache']),
  }
}

const textOf = (flag: string | boolean | undefined) => (typeof flag === 'string' ? flag : undefined)
