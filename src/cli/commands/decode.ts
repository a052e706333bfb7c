import type { Command } from 'commander'

import type { Decoded } from '../support/abi.ts'
import { tryAddress } from '../support/address.ts'
import { addCommand, addOutputOptions, collect } from '../support/command.ts'
import { usageError } from '../support/errors.ts'
import type { Finding } from '../support/identify.ts'
import { readStdin } from '../support/input.ts'
import { type Io, processIo } from '../support/io.ts'
import { stringify } from '../support/json.ts'
import { renderFields, renderValue } from '../support/table.ts'
import { createTerminal, type Terminal } from '../support/terminal.ts'
import { renderAnswer } from '../support/walletTables.ts'

/** `ethgate decode`: identifies and decodes bytes. Makes no request. */
export function addDecodeCommand(program: Command, io: Io = processIo()): void {
  const command = addCommand(program, 'decode', {
    summary: 'identify and decode bytes',
    description:
      'Decodes native transactions (signed or not), Ethereum transactions, revert data, call data, logs, returned values, ' +
      'messages of the node, and addresses. It works offline. Functions, events and errors of tokens are built in; others need --abi or --sig.',
    examples: [
      ['ethgate decode 0a85010a02…', 'a native transaction: sender, receiver, amount, signers'],
      ['ethgate decode 0x08c379a0…', 'the reason of a revert'],
      ['ethgate decode 0xf988f737… --sig "error Custom(uint256,string)"', 'a custom error'],
      ['ethgate decode 0x… --topic 0xddf252ad… --topic 0x… --topic 0x…', 'the data of a log'],
      ['ethgate decode 0x… --returns "uint256,address"', 'returned values'],
      ['ethgate decode 524556455254206f70636f6465206578656375746564', 'a message of the node'],
      ['tail -1 all.jsonl | ethgate decode - --abi Token.json', 'a log as JSON'],
    ],
  })
    .argument('<input>', 'hexadecimal bytes, an address, a JSON object; "-" reads standard input')
    .option('--abi <file>', 'ABI, artifact or list of signatures')
    .option(
      '--sig <signature>',
      'one signature: transfer(address,uint256), event …, error …; may be repeated',
      collect,
    )
    .option(
      '--topic <topic>',
      'a topic of the log that the data belongs to; repeat in order',
      collect,
    )
    .option('--returns <types>', 'decode as returned values of these types')
  addOutputOptions(command).action((input: string, options: DecodeOptions) =>
    decode(io, input, options),
  )
}

type DecodeOptions = {
  abi?: string
  sig?: string[]
  topic?: string[]
  returns?: string
  json?: boolean
  table?: boolean
}

async function decode(io: Io, argument: string, options: DecodeOptions): Promise<void> {
  const terminal = createTerminal(options, io)
  const { identify } = await import('../support/identify.ts')
  const { loadAbi, signatures } = await import('../support/abi.ts')
  const input = argument === '-' ? await readStdin(io) : argument
  const abi = [
    ...(options.sig ? signatures(options.sig, '--sig') : []),
    ...(options.abi ? await loadAbi(options.abi) : []),
  ]
  const topics = (options.topic ?? []).map((topic) => {
    if (!/^(0x)?[0-9a-f]{64}$/i.test(topic))
      throw usageError(`--topic needs 32 bytes of hex, got "${topic}"`)
    return `0x${topic.replace(/^0x/i, '').toLowerCase()}` as const
  })
  const finding = await identify(input, { abi, topics, returns: options.returns })
  await terminal.print(terminal.mode === 'json' ? stringify(finding) : render(terminal, finding))
}

function render(terminal: Terminal, finding: Finding): string {
  const title = (text: string) => terminal.bold(text)
  switch (finding.kind) {
    case 'address':
      return `${title('address')}\n${renderFields(terminal, [
        ['base58', finding.address.base58],
        ['native hex', finding.address.hex],
        ['ethereum', finding.address.eth],
      ])}`
    case 'native transaction': {
      const signers = finding.signers.map((signer) => tryAddress(signer)?.base58 ?? signer)
      return [
        title(
          `native transaction, ${signers.length === 0 ? 'not signed' : `signed by ${signers.join(', ')}`}`,
        ),
        renderAnswer(terminal, 'gettransactionbyid', finding.transaction),
        ...callLines(terminal, finding.call),
      ].join('\n')
    }
    case 'ethereum transaction':
      return [
        title('Ethereum transaction'),
        renderFields(terminal, [
          ['hash', finding.hash],
          ['from', finding.from ?? 'not signed'],
        ]),
        renderValue(terminal, finding.fields),
        ...callLines(terminal, finding.call),
        terminal.dim(
          'This chain does not accept its signature: a gateway sends it only if it manages the key of the sender.',
        ),
      ].join('\n')
    case 'revert':
      return `${title(`revert: ${finding.text}`)}\n${argumentLines(terminal, finding.decoded)}`
    case 'call':
    case 'log':
      return `${title(`${finding.kind}: ${finding.text}`)}\n${argumentLines(terminal, finding.decoded)}`
    case 'returned values':
      return finding.values
        .map((value) => (typeof value === 'string' ? value : stringify(value)))
        .join('\n')
    case 'words':
      return [
        title(finding.note),
        ...(finding.selector ? [`selector ${finding.selector}`] : []),
        ...finding.words.map((word, index) => `${String(index).padStart(8)} ${word}`),
      ].join('\n')
    case 'text':
      return `${title('text')}\n${finding.text}`
    default:
      return finding satisfies never
  }
}

function callLines(terminal: Terminal, call: Decoded | undefined): string[] {
  return call ? [terminal.bold(`call: ${call.signature}`), argumentLines(terminal, call)] : []
}

function argumentLines(terminal: Terminal, decoded: Decoded): string {
  return renderFields(
    terminal,
    Object.entries(decoded.args).map(([name, value]) => [
      `  ${name}`,
      typeof value === 'string' ? value : stringify(value),
    ]),
  )
}
