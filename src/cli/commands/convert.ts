import type { Command } from 'commander'

import { CommandError, usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import { renderFields } from '../output/table.ts'
import { addressFields, parseAddress } from '../text/address.ts'
import { readStdin } from '../text/input.ts'
import { hint } from '../text/unit.ts'
import { addWord } from '../words/command.ts'

/** `ethgate encode`, `keccak`, `address` and other words that make no request. */
export function addConvertCommands(program: Command, io: Io): void {
  addWord(program, io, {
    usage: 'encode <kind> <signature> [args...]',
    summary: 'encode call data, ABI values, an error or an event',
    description:
      'Encodes calldata (with the selector), abi (without it), error, or event (topics and data).',
    examples: [
      [
        "ethgate encode calldata 'transfer(address,uint256)' TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp 5",
        'the data of a transaction',
      ],
      ["ethgate encode abi 'f(uint256,string)' 1 hello", 'values without a selector'],
    ],
    calls: 'nothing',
    async run(_, [kind, signature = '', ...args]) {
      const { encodeArguments, encodeCall, encodeEvent } = await import('../text/arguments.ts')
      const { readFunction, readItem } = await import('../text/signature.ts')
      const words = args as string[]
      if (kind === 'abi') {
        const { inputs, name } = readFunction(signature)
        return encodeArguments(name, inputs, words)
      }
      if (kind === 'event') {
        const value = encodeEvent(readItem(signature, 'event'), words)
        return {
          value,
          text: (terminal) =>
            renderFields(terminal, [
              ...value.topics.map((topic, index) => [`topic ${index}`, topic] as const),
              ['data', value.data],
            ]),
        }
      }
      if (kind !== 'calldata' && kind !== 'error')
        throw usageError(`encode takes calldata, abi, error or event, got "${kind}"`)
      return encodeCall(readFunction(signature.replace(/^error\s+/, '')), words)
    },
  })
  addWord(program, io, {
    usage: 'sig <signature>',
    summary: 'print the selector of a function or error',
    examples: [["ethgate sig 'transfer(address,uint256)'", '0xa9059cbb']],
    calls: 'nothing',
    async run(_, [signature = '']) {
      const { toFunctionSelector } = await import('../node/viem.ts')
      const { readFunction } = await import('../text/signature.ts')
      return toFunctionSelector(readFunction(signature.replace(/^error\s+/, '')))
    },
  })
  addWord(program, io, {
    usage: '4byte <selector>',
    summary: 'print the signature of a selector or topic, from a bundled table',
    examples: [
      ['ethgate 4byte 0xa9059cbb', 'transfer(address,uint256)'],
      [
        'ethgate 4byte 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
        'an event',
      ],
    ],
    calls: 'nothing',
    async run(_, [selector = '']) {
      if (!/^0x([0-9a-f]{8}|[0-9a-f]{64})$/i.test(selector))
        throw usageError(`a selector is 0x and 8 hex digits, a topic has 64; got "${selector}"`)
      const { signaturesOf } = await import('../text/knownSignatures.ts')
      const found = signaturesOf(selector.toLowerCase() as `0x${string}`)
      if (found.length > 0) return { value: found, plain: () => found.join('\n') }
      throw new CommandError(`${selector} is not in the bundled table`)
    },
  })
  addWord(program, io, {
    usage: 'keccak <data>',
    summary: 'print the Keccak-256 hash of bytes (0x…) or text',
    description:
      'Prints the Keccak-256 hash of bytes (0x…) or text. "-" reads standard input. For an event it is the topic.',
    examples: [["ethgate keccak 'Transfer(address,address,uint256)'", '0xddf252ad…']],
    calls: 'nothing',
    async run(_, [data = '']) {
      const { keccak256, stringToBytes } = await import('../node/viem.ts')
      const text = data === '-' ? (await readStdin(io)).replace(/\n$/, '') : data
      const isBytes = /^0x([0-9a-f]{2})*$/i.test(text)
      if (!isBytes && /^0x/i.test(text))
        throw usageError(`"${text}" is not bytes: 0x needs an even number of hex digits behind it`)
      return keccak256(isBytes ? (text as `0x${string}`) : stringToBytes(text))
    },
  })
  addWord(program, io, {
    usage: 'address <address>',
    summary: 'show an address in every format: T…, 41… and 0x…',
    examples: [
      ['ethgate address 0xdd791d6b49e190062d650e6a23c575510d35f2f9', 'the other formats'],
      ['ethgate address TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp -f eth', 'for Ethereum tools'],
    ],
    calls: 'nothing',
    hasFields: true,
    async run(_, [text = '']) {
      const given = text === '-' ? (await readStdin(io)).trim() : text
      const value = parseAddress(given, 'address')
      return { value, text: (terminal) => renderFields(terminal, addressFields(value)) }
    },
  })
  addWord(program, io, {
    usage: 'to-unit <amount> [unit]',
    summary: 'convert an amount such as 1.5coin to a unit (default sun)',
    examples: [
      ['ethgate to-unit 1.5coin', '1500000'],
      ['ethgate to-unit 1.5coin wei', '1500000000000000000'],
    ],
    calls: 'nothing',
    async run(_, [amount = '', unit = 'sun']) {
      const [, digits = '', from = ''] = /^(-?\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(amount) ?? []
      if (from === '') throw usageError(`"${amount}" ${hint(digits, from, 'sun')}`)
      return convert(digits, from, unit)
    },
  })
  addWord(program, io, {
    usage: 'from-unit <amount> [unit]',
    summary: 'convert an integer in a unit (default sun) to coins',
    examples: [['ethgate from-unit 1500000', '1.5']],
    calls: 'nothing',
    run: (_, [amount = '', unit = 'sun']) => convert(amount, unit, 'coin'),
  })
}

/** Decimals of each unit below 10^-18 coins. */
const UNITS: Readonly<Record<string, number>> = { wei: 0, gwei: 9, sun: 12, coin: 18, ether: 18 }

async function convert(amount: string, from: string, to: string): Promise<string> {
  const { formatUnits, parseUnits } = await import('../node/viem.ts')
  const [low, high] = [from, to].map((name) => {
    const decimals = UNITS[name.toLowerCase().replace(/s$/, '')]
    if (decimals !== undefined) return decimals
    throw usageError(`there is no unit ${name}; the units are ${Object.keys(UNITS).join(', ')}`)
  }) as [number, number]
  if (!/^-?\d+(\.\d+)?$/.test(amount)) throw usageError(`"${amount}" is not a number`)
  if ((amount.split('.')[1] ?? '').length > low)
    throw usageError(`"${amount}" has more decimals than ${from} has (${low})`)
  return formatUnits(parseUnits(amount, low), high)
}
