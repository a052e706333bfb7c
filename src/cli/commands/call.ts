import type { Command } from 'commander'

import { usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import { blockParameter } from '../node/search.ts'
import { rethrow } from '../text/abi.ts'
import { parseAddress } from '../text/address.ts'
import { type Channel, openChannel } from '../wallet/channel.ts'
import { type Intent, type IntentOptions, readIntent } from '../wallet/intent.ts'
import { abiOf } from '../wallet/sendTransaction.ts'
import { addWord, type Task, type Word } from '../words/command.ts'

type CallOptions = IntentOptions & {
  from?: string
  block?: string
  cost?: boolean
  quote?: boolean
}

const OPTIONS = [
  ['--from <address>', 'the caller (default 0x0…0)'],
  ['--value <amount>', 'coins that the call sends, such as 1.5coin'],
  ['--data <hex>', 'call data, instead of a signature'],
  ['--abi <file>', 'ABI or artifact: then a name is enough, and reverts are decoded'],
  ['-b, --block <block>', 'the state after this block (default latest)'],
] as const satisfies Word<CallOptions>['options']

/** `ethgate call` and `ethgate estimate`: a contract call that changes nothing. */
export function addCallCommands(program: Command, io: Io): void {
  addWord<CallOptions>(program, io, {
    usage: 'call <to> [signature] [args...]',
    summary: 'call a function of a contract and print what it returns',
    description:
      'Calls a function and prints what it returns, one value a line. The signature has the returned types in a second pair of parentheses. Changes nothing.',
    options: OPTIONS,
    examples: [
      [
        "ethgate call TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf 'balanceOf(address)(uint256)' TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp",
        'such as 1000000 [1e6]',
      ],
      [
        'ethgate call TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf symbol --abi Token.json',
        'by name, with an ABI',
      ],
    ],
    calls: 'node',
    async run(task, words) {
      const { options, target } = task
      if (/^[a-z]+\d?_\w+$/.test(words[0] ?? ''))
        throw usageError(`to call a JSON-RPC method, use "ethgate rpc ${words.join(' ').trim()}"`)
      const channel = await openChannel(target)
      const intent = await read(task, channel, words as string[])
      const { item } = intent
      const block = blockParameter(options.block ?? 'latest', '--block')
      const data = await channel
        .call(intent, block)
        .catch((error: unknown) => rethrow(error, options.abi, abiOf(target, intent)))
      if (!item?.outputs || item.outputs.length === 0) return data
      const { decodedValues } = await import('../output/values.ts')
      return decodedValues(item.outputs, data)
    },
  })
  addWord<CallOptions>(program, io, {
    usage: 'estimate <to> [signature] [args...]',
    summary: 'estimate the energy of a contract call',
    options: [
      ...OPTIONS.slice(0, -1),
      ['--create <file>', 'estimate a deployment; the words are the constructor’s arguments'],
      ['--cost', 'print the cost in the smallest unit instead of the energy'],
      ['--quote', 'show who pays the energy and bandwidth, the fee, and a safe fee limit'],
    ],
    examples: [
      [
        "ethgate estimate TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf 'transfer(address,uint256)' TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp 5",
        'such as 14650',
      ],
      [
        "ethgate estimate TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf 'transfer(address,uint256)' TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp 5 --quote",
        'the fee in its parts',
      ],
    ],
    calls: 'node',
    async run(task, words) {
      const channel = await openChannel(task.target)
      const intent = await read(task, channel, words as string[])
      if (task.options.quote) {
        const { quoteOf } = await import('../wallet/quote.ts')
        return quoteOf(task.target, intent).catch((error: unknown) =>
          rethrow(error, task.options.abi, abiOf(task.target, intent)),
        )
      }
      const energy = await channel
        .energy(intent)
        .catch((error: unknown) => rethrow(error, task.options.abi, abiOf(task.target, intent)))
      return task.options.cost ? energy * (await channel.energyPrice()) : energy
    },
  })
}

async function read(
  { options, target }: Task<CallOptions>,
  channel: Channel,
  words: readonly string[],
): Promise<Intent> {
  const owner = parseAddress(options.from ?? `0x${'0'.repeat(40)}`, '--from')
  const intent = await readIntent(
    words,
    { ...options, value: options.value ?? '0coin' },
    { owner, unit: () => target.unit(), hasCode: (address) => channel.hasCode(address) },
  )
  if (!intent.call) throw usageError('a call cannot send tokens')
  return intent
}
