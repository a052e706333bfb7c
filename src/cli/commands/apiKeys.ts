import type { Command } from 'commander'

import type { Io } from '../base/io.ts'
import type { CreateOptions, FileOptions, UsageOptions } from '../words/apiKeys.ts'
import { addCommand, addWord } from '../words/command.ts'

const FILE = ['--api-keys <file>', 'the API keys file (env ETHGATE_API_KEYS)'] as const

/** Declares `ethgate api-keys`: creates and revokes the API keys of clients, and shows their usage. */
export function addApiKeysCommand(program: Command, io: Io): void {
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
  addWord<CreateOptions>(command, io, {
    usage: 'create <name>',
    summary: 'create a key and print it',
    options: [
      ['--rate <units>', 'units a second'],
      ['--burst <units>', 'units at once'],
      ['--daily <units>', 'units a day'],
      ['--expires <date>', 'a date such as 2027-12-31'],
      ['--accounts <addresses>', 'managed accounts that it may use, separated by commas'],
      ['--spend <sun>', 'sun that it may spend a day from managed accounts'],
      FILE,
    ],
    examples: [
      ['ethgate api-keys create partner --rate 100 --api-keys keys.yaml', 'prints the key'],
    ],
    calls: 'nothing',
    run: async (task, [name = '']) => (await import('../words/apiKeys.ts')).createKey(task, name),
  })
  addWord<FileOptions>(command, io, {
    usage: 'list',
    summary: 'list the keys',
    options: [FILE],
    examples: [['ethgate api-keys list --api-keys keys.yaml', 'names, limits and methods']],
    calls: 'nothing',
    run: async (task) => (await import('../words/apiKeys.ts')).listKeys(task),
  })
  addWord<FileOptions>(command, io, {
    usage: 'revoke <name>',
    summary: 'remove a key',
    options: [FILE],
    examples: [['ethgate api-keys revoke partner --api-keys keys.yaml', 'ends it']],
    calls: 'nothing',
    run: async (task, [name = '']) => (await import('../words/apiKeys.ts')).revokeKey(task, name),
  })
  addWord<UsageOptions>(command, io, {
    usage: 'usage',
    summary: 'show calls and units by key and method',
    options: [
      ['--day <date>', 'a day, UTC (default: today)'],
      ['--redis <url>', 'the Redis of the gateway (env ETHGATE_REDIS)'],
      ['--redis-prefix <text>', 'its prefix (env ETHGATE_REDIS_PREFIX, default ethgate)'],
      ['--data-dir <dir>', 'the data directory of a gateway without Redis'],
    ],
    examples: [['ethgate api-keys usage --redis redis://127.0.0.1:6379', 'what keys used today']],
    calls: 'nothing',
    run: async (task) => (await import('../words/apiKeys.ts')).showUsage(task),
  })
}
