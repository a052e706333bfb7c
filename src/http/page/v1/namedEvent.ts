import type { Abi } from 'viem'

import { matchEvent } from '../../../codec/abi.ts'
import type { RpcLog } from '../../../codec/types.ts'
import { MOST_DECODED } from '../abi.ts'

/** The name and values of an event, by position and by name. Without an ABI the name is empty and the values are raw words. */
export function namedEvent(log: Pick<RpcLog, 'data' | 'topics'>, abi: Abi) {
  const found = matchEvent(log, abi, MOST_DECODED)
  if (!found) {
    const words = [...log.topics.slice(1), ...(log.data.slice(2).match(/.{1,64}/g) ?? [])]
    const result = Object.fromEntries(words.map((word) => word.replace(/^0x/, '')).entries())
    return { event_name: '', event: '', result, result_type: {} }
  }
  const { event, values } = found
  const texts = event.inputs.map((input, index) => textOf(values[index], input))
  const own = event.inputs.flatMap(({ name, type }, index) =>
    name ? [{ name, type, text: texts[index] }] : [],
  )
  const parameters = event.inputs.map(
    ({ indexed, name, type }) => `${type}${indexed ? ' indexed' : ''}${name ? ` ${name}` : ''}`,
  )
  return {
    event_name: event.name,
    event: `${event.name}(${parameters.join(', ')})`,
    result: {
      ...Object.fromEntries(texts.entries()),
      ...Object.fromEntries(own.map(({ name, text }) => [name, text])),
    },
    result_type: Object.fromEntries(own.map(({ name, type }) => [name, type])),
  }
}

/** A parameter of an event, or a part of one. */
type Parameter = {
  type: string
  indexed?: boolean | undefined
  components?: readonly Parameter[]
}

/** A value as text: numbers in decimal, addresses with `0x`, other bytes without. */
function textOf(value: unknown, input: Parameter): string {
  const { components = [], indexed, type } = input
  if (typeof value !== 'object' || value === null) {
    if (typeof value !== 'string') return String(value)
    // The topic of a text is its hash.
    if (type === 'address') return value.toLowerCase()
    return type === 'string' && !indexed ? value : value.slice(2)
  }
  const item = { ...input, type: type.replace(/\[\d*\]$/, '') }
  const parts = Object.values(value).map((part, index) =>
    textOf(part, type === 'tuple' ? (components[index] ?? item) : item),
  )
  return `[${parts.join(', ')}]`
}
