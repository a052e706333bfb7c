import type { AbiEvent, Hex } from 'viem'
import { decodeEventLog, toEventSelector } from 'viem/utils'

import type { TransactionInfo } from '../../../native/wire/types.ts'

type Log = NonNullable<TransactionInfo['log']>[number]

/** A decoded log of the events API. Without an ABI the name is empty and the result has the raw words by position. */
export type NamedLog = {
  event_name: string
  /** The declaration, such as `Transfer(address indexed from, address indexed to, uint256 value)`. */
  event: string
  /** Values by position, and by name if the ABI has one. */
  result: Record<string, string>
  result_type: Record<string, string>
}

/** An entry of an ABI in the chain's format, with capitalised types. */
type Entry = { type?: string; name?: string; anonymous?: boolean; inputs?: EntryInput[] }
type EntryInput = { name?: string; type?: string; indexed?: boolean }

/** Decodes a log with the contract's ABI. */
export function nameLog({ data = '', topics = [] }: Log, abi: readonly unknown[]): NamedLog {
  for (const entry of abi as readonly Entry[]) {
    const event = eventOf(entry)
    if (!event || toEventSelector(event).slice(2) !== topics[0]) continue
    const values = decoded(event, data, topics)
    if (values) return named(event, values)
  }
  const words = [...topics.slice(1), ...(data.match(/.{1,64}/g) ?? [])]
  return { event_name: '', event: '', result: Object.fromEntries(words.entries()), result_type: {} }
}

function eventOf({ anonymous, inputs = [], name = '', type }: Entry): AbiEvent | undefined {
  if (type?.toLowerCase() !== 'event' || anonymous) return undefined
  return {
    type: 'event',
    name,
    inputs: inputs.map((input) => ({
      name: input.name ?? '',
      type: input.type ?? '',
      indexed: input.indexed === true,
    })),
  }
}

function decoded(event: AbiEvent, data: string, topics: string[]): readonly unknown[] | undefined {
  // By position, because names may be missing or equal.
  const inputs = event.inputs.map((input, index) => ({ ...input, name: `p${index}` }))
  try {
    const { args } = decodeEventLog({
      abi: [{ ...event, inputs }],
      data: `0x${data}`,
      topics: topics.map((topic): Hex => `0x${topic}`) as [Hex, ...Hex[]],
    })
    const values = (args ?? {}) as unknown as Record<string, unknown>
    return inputs.map(({ name }) => values[name])
  } catch {
    return undefined
  }
}

function named({ inputs, name }: AbiEvent, values: readonly unknown[]): NamedLog {
  const result: Record<string, string> = {}
  const types: Record<string, string> = {}
  for (const [index, input] of inputs.entries()) {
    const text = textOf(values[index], input.type)
    result[index] = text
    if (!input.name) continue
    result[input.name] = text
    types[input.name] = input.type
  }
  const params = inputs.map(
    ({ indexed, name, type }) => `${type}${indexed ? ' indexed' : ''}${name ? ` ${name}` : ''}`,
  )
  return {
    event_name: name,
    event: `${name}(${params.join(', ')})`,
    result,
    result_type: types,
  }
}

/** A value as text: numbers in decimal, addresses with `0x`, other bytes without. */
function textOf(value: unknown, type: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, type)).join(', ')}]`
  if (typeof value !== 'string') return String(value)
  if (type.startsWith('address')) return value.toLowerCase()
  return type.startsWith('string') && !/^0x[\da-f]{64}$/.test(value) ? value : value.slice(2)
}
