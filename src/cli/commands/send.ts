import type { Command } from 'commander'

import type { Io } from '../base/io.ts'
import { type IntentOptions, readIntent } from '../wallet/intent.ts'
import { SENDING_OPTIONS, type SendingOptions, sendTransaction } from '../wallet/sendTransaction.ts'
import { addWord } from '../words/command.ts'

/** `ethgate send`: coins, tokens, contract calls and deployments. */
export function addSendCommand(program: Command, io: Io): void {
  addWord<SendingOptions & IntentOptions>(program, io, {
    usage: 'send [to] [signature] [args...]',
    summary: 'send coins, tokens, contract calls and deployments',
    description:
      'Builds a native transaction, signs it in this process, sends it through the gateway (--rpc-url) or a node (--node), and ' +
      'waits until it is in a block: exit code 3 if it failed. With --from and without a key, the gateway signs with a key that ' +
      'it manages. Amounts need a unit: 1.5coin or 1500000sun. Lists and tuples are JSON.',
    options: [
      ['--value <amount>', 'coins (1.5coin, 1500000sun), or units of --token'],
      ['--token <id>', 'TRC-10 token to send'],
      ['--token-decimals <n>', 'decimals of the token, so that --value can have a fraction'],
      ['--data <hex>', 'call data, instead of a signature'],
      [
        '--abi <file>',
        'ABI or artifact: then a name is enough as signature, and reverts are decoded',
      ],
      [
        '--create <file>',
        'deploy an artifact (JSON) or creation code; the words are its arguments',
      ],
      ['--contract <name>', 'contract to deploy, if the file has several'],
      ['--percent <n>', 'deployment: percentage of the energy that callers pay (default 100)'],
      [
        '--origin-energy-limit <n>',
        'deployment: maximum energy that the creator pays for a call (default 10000000)',
      ],
      ...SENDING_OPTIONS,
    ],
    examples: [
      [
        'ethgate send TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp --value 1.5coin --account alice',
        'coins, signed with a keystore',
      ],
      [
        `ethgate send TXYZ… 'transfer(address,uint256)' TWAF… 1000000 --key-file alice.key`,
        'a contract call; addresses in any format',
      ],
      ['ethgate send --create Token.json 1000000000 --account alice', 'a deployment'],
      ['ethgate send TWAF… --token 1000001 --value 25 --account alice', '25 of a TRC-10 token'],
      [
        'ethgate send TWAF… --value 1coin --from TXYZ…',
        'signed by the gateway or development chain',
      ],
      ['ethgate send TWAF… --value 1coin --account alice --dry-run', 'shows it, sends nothing'],
    ],
    calls: 'node',
    run: (task, words) =>
      sendTransaction(task, (reading) => {
        const given = words.filter((word) => word !== undefined)
        const withoutCode = '; give only --value to send coins'
        return readIntent(given, task.options, { ...reading, withoutCode })
      }),
  })
}
