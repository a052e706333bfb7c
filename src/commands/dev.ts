import type { Command } from 'commander'

import { addCommand } from './command.ts'
import { CommandError, usageError } from './errors.ts'
import { addConfigOptions, configOf } from './support/configOptions.ts'

type Flags = Record<string, string | boolean | undefined>

/** Declares `ethgate dev`: a chain in this process with the gateway in front. */
export function addDevCommand(program: Command): void {
  const command = addCommand(program, 'dev', {
    summary: 'run a chain in this process, with funded accounts, and serve it',
    description:
      'Runs a chain in this process and serves it on one port: Ethereum JSON-RPC at / and the native HTTP interface at /wallet and /walletsolidity. The keys of its accounts are public: for development only.',
    examples: [
      ['ethgate dev', 'ten funded accounts, a block at once for each transaction'],
      ['ethgate dev --state chain.jsonl', 'keep the chain over restarts'],
      ['ethgate dev --seed demo --block-time 0', 'the same blocks and hashes every time'],
    ],
  })
    .option('--accounts <n>', 'funded accounts (default 10)')
    .option('--balance <coins>', 'coins of each account (default 1000000)')
    .option(
      '--block-time <seconds>',
      'seconds between blocks when no transaction comes; 0 for none (default 3)',
    )
    .option(
      '--no-automine',
      'wait for the next block time instead of making a block for each transaction',
    )
    .option('--producers <n>', 'block producers; more of them solidify blocks later (default 5)')
    .option('--seed <text>', 'repeatable: times count from a fixed date, three seconds a block')
    .option('--state <file>', 'file that keeps the chain over restarts')
  addConfigOptions(command).action(async (flags: Flags) => {
    const { runDevChain } = await import('../devnode/run.ts')
    try {
      await runDevChain({
        config: configOf(flags),
        chain: {
          accounts: whole(flags, 'accounts', 10, 1, 1000),
          balance: BigInt(whole(flags, 'balance', 1_000_000, 0, 9_000_000_000)),
          blockTime: seconds(flags['blockTime']),
          automine: flags['automine'] !== false,
          producers: whole(flags, 'producers', 5, 1, 27),
          ...(typeof flags['seed'] === 'string' && { seed: flags['seed'] }),
          ...(typeof flags['state'] === 'string' && { state: flags['state'] }),
        },
      })
    } catch (error) {
      if (error instanceof CommandError) throw error
      throw new CommandError((error as Error).message, { cause: error })
    }
  })
}

function whole(flags: Flags, name: string, fallback: number, min: number, max: number): number {
  const text = flags[name]
  if (text === undefined) return fallback
  const value = Number(text)
  if (!/^\d+$/.test(String(text)) || value < min || value > max)
    throw usageError(
      `--${name}: expected a whole number from ${min} to ${max}, got "${String(text)}"`,
    )
  return value
}

function seconds(text: string | boolean | undefined): number {
  if (text === undefined) return 3_000
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(String(text)) || value > 86_400)
    throw usageError(`--block-time: expected seconds from 0 to 86400, got "${String(text)}"`)
  return Math.round(value * 1000)
}
