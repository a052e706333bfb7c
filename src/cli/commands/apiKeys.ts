import type { Command } from 'commander'

import { addCommand, addOutputOptions } from '../support/command.ts'
import { type Io, processIo } from '../support/io.ts'

/** Declares `ethgate api-keys`: creates and revokes the API keys of clients, and shows their usage. */
export function addApiKeysCommand(program: Command, io: Io = processIo()): void {
  const command = addCommand(program, 'api-keys', {
    summary: 'create, list and revoke API keys of clients, show their usage',
    description:
      'Changes the file of "ethgate serve --api-keys", which running gateways read again. The file has the SHA-256 of each key: a key is shown once, when it is created.',
    examples: [
      ['ethgate api-keys create partner --rate 100 --api-keys keys.yaml', 'a key with a limit'],
      ['ethgate api-keys revoke partner --api-keys keys.yaml', 'ends it'],
      ['ethgate api-keys usage --redis redis://127.0.0.1:6379', 'what keys used today'],
    ],
  })

  const create = sub(command, 'create <name>', 'create a key and print it')
    .option('--rate <units>', 'units a second')
    .option('--burst <units>', 'units at once')
    .option('--daily <units>', 'units a day')
    .option('--expires <date>', 'a date such as 2027-12-31')
  addFileOption(create).action(async (name, _, command: Command) =>
    (await import('../support/apiKeys.ts')).createKey(io, name, command.optsWithGlobals()),
  )

  addFileOption(sub(command, 'list', 'list the keys')).action(async (_, command: Command) =>
    (await import('../support/apiKeys.ts')).listKeys(io, command.optsWithGlobals()),
  )

  addFileOption(sub(command, 'revoke <name>', 'remove a key')).action(
    async (name, _, command: Command) =>
      (await import('../support/apiKeys.ts')).revokeKey(io, name, command.optsWithGlobals()),
  )

  sub(command, 'usage', 'show calls and units by key and method')
    .option('--day <date>', 'a day, UTC (default: today)')
    .option('--redis <url>', 'the Redis of the gateway (env ETHGATE_REDIS)')
    .option('--redis-prefix <text>', 'its prefix (env ETHGATE_REDIS_PREFIX)', 'ethgate')
    .option('--data-dir <dir>', 'the data directory of a gateway without Redis')
    .action(async (_, command: Command) =>
      (await import('../support/apiKeys.ts')).showUsage(io, command.optsWithGlobals()),
    )
}

function sub(parent: Command, usage: string, summary: string): Command {
  return addOutputOptions(
    parent
      .command(usage)
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`),
  )
}

function addFileOption(command: Command): Command {
  return command.option('--api-keys <file>', 'the API keys file (env ETHGATE_API_KEYS)')
}
