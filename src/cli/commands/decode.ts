import type { Command } from 'commander'
import type { Hex } from 'viem'

import { usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import type { Result } from '../output/result.ts'
import { readStdin } from '../text/input.ts'
import { addWord, collect } from '../words/command.ts'

type DecodeOptions = { abi?: string; sig?: string[]; topic?: string[]; input?: boolean }

/** `ethgate decode`: identifies and decodes bytes. Makes no request. */
export function addDecodeCommand(program: Command, io: Io): void {
  addWord<DecodeOptions>(program, io, {
    usage: 'decode <input...>',
    summary: 'identify and decode bytes',
    description:
      'Decodes native transactions (signed or not), Ethereum transactions, revert data, call data, logs, messages of the node, ' +
      'and addresses: hexadecimal bytes, an address, a JSON object, or "-" for standard input. With a kind and a signature it decodes ' +
      'exactly that: calldata, abi (returned values), error or event. It works offline. Functions, events and errors of tokens are built in; others need --abi or --sig.',
    options: [
      ['--abi <file>', 'ABI, artifact or list of signatures'],
      [
        '--sig <signature>',
        'a signature: transfer(address,uint256), event …, error …; may be repeated',
        collect,
      ],
      ['--topic <topic>', 'a topic of the log that the data belongs to; repeat in order', collect],
      ['--input', 'decode abi: the arguments instead of the returned values'],
    ],
    examples: [
      ['ethgate decode 0x0a85010a02…', 'a native transaction: sender, receiver, amount, signers'],
      ['ethgate decode 0x08c379a0…', 'the reason of a revert'],
      ["ethgate decode abi 'f()(uint256,address)' 0x…", 'returned values'],
      [
        "ethgate decode calldata 'transfer(address,uint256)' 0xa9059cbb…",
        'the arguments of a call',
      ],
      ["ethgate decode error 'Custom(uint256,string)' 0xf988f737…", 'a custom error'],
      ['ethgate decode 0x… --topic 0xddf252ad… --topic 0x… --topic 0x…', 'the data of a log'],
      ['tail -1 all.jsonl | ethgate decode - --abi Token.json', 'a log as JSON'],
    ],
    calls: 'nothing',
    async run({ options }, words) {
      const [first = '', signature = '', data = ''] = words as string[]
      if (/^(calldata|abi|error|event)$/.test(first))
        return decodeAs(first, signature, data, options)
      if (words.length > 1)
        throw usageError(`decode takes one input, or calldata, abi, error or event before it`)
      const { identify } = await import('../output/identify.ts')
      const { loadAbi, signatures } = await import('../text/abi.ts')
      const abi = [
        ...(options.sig ? signatures(options.sig, '--sig') : []),
        ...(options.abi ? await loadAbi(options.abi) : []),
      ]
      const input = first === '-' ? await readStdin(io) : first
      return identify(input, { abi, topics: topicsOf(options) })
    },
  })
}

/** Decodes bytes of a known kind with a signature, as cast does. */
async function decodeAs(
  kind: string,
  signature: string,
  text: string,
  options: DecodeOptions,
): Promise<Result> {
  if (!/^(0x)?([0-9a-f]{2})*$/i.test(text) || text === '')
    throw usageError(`decode ${kind} needs a signature and hexadecimal bytes`)
  const data: Hex = `0x${text.replace(/^0x/i, '').toLowerCase()}`
  const { decodedValues } = await import('../output/values.ts')
  const { readFunction, readItem } = await import('../text/signature.ts')
  if (kind === 'event') {
    const { identifyLog } = await import('../output/identify.ts')
    return identifyLog({ data, topics: topicsOf(options) }, [readItem(signature, 'event')])
  }
  const item = readFunction(signature.replace(/^error\s+/, ''))
  if (kind === 'abi') return decodedValues(options.input ? item.inputs : item.outputs, data)
  const { toFunctionSelector } = await import('../node/viem.ts')
  const selector = toFunctionSelector(item)
  if (!data.startsWith(selector))
    throw usageError(
      `the bytes begin with ${data.slice(0, 10)}; the selector of ${signature} is ${selector}`,
    )
  return decodedValues(item.inputs, `0x${data.slice(10)}`)
}

function topicsOf({ topic = [] }: DecodeOptions): Hex[] {
  return topic.map((text): Hex => {
    if (/^(0x)?[0-9a-f]{64}$/i.test(text)) return `0x${text.replace(/^0x/i, '').toLowerCase()}`
    throw usageError(`--topic needs 32 bytes of hex, got "${text}"`)
  })
}
