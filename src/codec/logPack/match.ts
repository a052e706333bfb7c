import {
  ADDRESS_BYTES,
  HASH_BYTES,
  type Item,
  type LogPack,
  type PackedLog,
  startOf,
  textOf,
  textOfHex,
  zerosOf,
} from './reader.ts'

/** A search: hex without `0x`, lower case. An empty list or `null` matches any value. */
export type LogSearch = {
  addresses: readonly string[]
  topics: readonly (readonly string[] | null)[]
}

/** Whether a log of a pack matches a search. */
export type PackMatcher = (pack: LogPack, log: PackedLog) => boolean

/** Whether an item is one of some values. */
type Choice = (bytes: Buffer, item: Item) => boolean

/** Prepares a search in packs. A log must have as many topics as the search has positions. */
export function createPackMatcher({ addresses, topics }: LogSearch): PackMatcher {
  const wanted = choiceOf(addresses, ADDRESS_BYTES)
  const positions = topics.map((choice) => choiceOf(choice, HASH_BYTES))
  return ({ bytes }, log) => {
    if (log.topicCount < positions.length) return false
    if (wanted && !wanted(bytes, log.address)) return false
    for (let position = 0; position < positions.length; position++) {
      const choice = positions[position]
      if (choice && !choice(bytes, log.topics[position] as Item)) return false
    }
    return true
  }
}

function choiceOf(values: readonly string[] | null, length: number): Choice | undefined {
  if (!values || values.length === 0) return undefined
  const [only] = values
  if (values.length === 1 && only !== undefined) return oneOf(only, length)
  const texts = new Set(values.map(textOfHex))
  return (bytes, item) => texts.has(textOf(bytes, item, length))
}

/** Compares bytes, because making a string of each item would cost more than the rest of a search. */
function oneOf(value: string, length: number): Choice {
  const wanted = Buffer.from(textOfHex(value), 'latin1')
  const zeros = length - wanted.length
  return (bytes, item) => {
    if (zerosOf(item) !== zeros) return false
    const start = startOf(item)
    // Backwards, because most values differ at the end, where small numbers and addresses are.
    for (let at = wanted.length - 1; at >= 0; at--)
      if (bytes[start + at] !== wanted[at]) return false
    return true
  }
}
