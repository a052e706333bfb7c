import { type Command, Option } from 'commander'

import type { connectFork } from '../../devnode/fork.ts'
import { usageError } from '../errors.ts'

type Flags = Record<string, string | boolean | undefined>

/** Options that have no meaning where the chain is another one's. */
const CONFLICTS: Readonly<Record<string, string>> = {
  chainId: '--chain-id: a fork has the chain id of its chain',
  decimals: '--decimals: a fork has the decimals of its chain',
}

/** Adds the options of a forked chain. Those of anvil are understood too. */
export function addForkOptions(command: Command): Command {
  return command
    .option('--fork <url>', 'go on from the chain of a node, named by its HTTP API')
    .option('--fork-block <n>', 'block to go on from (default: the newest)')
    .option(
      '--fork-rpc <url>',
      'JSON-RPC of that node, for contract storage (default: looked for beside --fork)',
    )
    .option('--fork-header <header>', '"name: value" sent to that node, such as an API key')
    .option(
      '--fork-cache <folder>',
      'where what was read is kept; "off" for nowhere (default: in the user’s cache)',
    )
    .addOption(new Option('-f, --fork-url <url>').hideHelp())
    .addOption(new Option('--fork-block-number <n>').hideHelp())
}

/** The fork that the flags ask for. @throws CommandError with exit code 2 */
export function forkOf(flags: Flags): connectFork.Options | undefined {
  const url = flags['fork'] ?? flags['forkUrl']
  if (typeof url !== 'string') {
    for (const name of ['forkBlock', 'forkBlockNumber', 'forkRpc', 'forkHeader', 'forkCache'])
      if (flags[name] !== undefined)
        throw usageError('--fork names the node whose chain to go on from; it is missing')
    return undefined
  }
  for (const [name, text] of Object.entries(CONFLICTS))
    if (flags[name] !== undefined) throw usageError(text)
  const block = flags['forkBlock'] ?? flags['forkBlockNumber']
  if (block !== undefined && !/^\d{1,15}$/.test(String(block)))
    throw usageError(`--fork-block: expected a block number, got "${String(block)}"`)
  return {
    url,
    number: block === undefined ? undefined : Number(block),
    rpcUrl: textOf(flags['forkRpc']),
    header: textOf(flags['forkHeader']),
    cache: textOf(flags['forkCache']),
  }
}

const textOf = (flag: string | boolean | undefined) => (typeof flag === 'string' ? flag : undefined)
