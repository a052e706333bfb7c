import type { AbiParameter, Hex } from 'viem'

/** Bytes of a word, in which ABI values are encoded. */
const WORD = 32

/**
 * Checks how many bytes ABI-encoded values have when they are decoded. The values of a list may share their bytes, so a few thousand
 * bytes can be gigabytes of values. Looks at as many words as the limit has.
 *
 * @throws RangeError when they have more than `most`
 */
export function assertDecodedSize(types: readonly AbiParameter[], data: Hex, most: number): void {
  let left = most

  function count(bytes: number): void {
    left -= bytes
    if (!(left >= 0)) throw new RangeError(`the values have more than ${most} bytes`)
  }

  const word = (at: number): number => {
    const digits = data.slice(2 + 2 * at, 2 + 2 * (at + WORD))
    return digits === '' ? 0 : Number(`0x${digits}`)
  }

  /** Counts values one after the other. @param base - where their offsets begin to count */
  function countAll(types: Iterable<AbiParameter>, base: number): void {
    let at = base
    for (const type of types) {
      countOne(type, isDynamic(type) ? base + word(at) : at)
      at += headSize(type)
    }
  }

  function countOne(input: AbiParameter, at: number): void {
    count(WORD)
    const list = listOf(input)
    if (list) {
      const length = list.length ?? word(at)
      // Each item has at least one word.
      if (length * WORD > left) count(length * WORD)
      const start = list.length === undefined ? at + WORD : at
      return countAll(
        Array.from({ length }, () => list.item),
        start,
      )
    }
    if (input.type === 'tuple') return countAll(componentsOf(input), at)
    if (input.type === 'bytes' || input.type === 'string') count(word(at))
  }

  countAll(types, 0)
}

const componentsOf = (input: AbiParameter): readonly AbiParameter[] =>
  (input as { components?: readonly AbiParameter[] }).components ?? []

/** The items of a list type, and their number if the type has it. */
function listOf(
  input: AbiParameter,
): { item: AbiParameter; length: number | undefined } | undefined {
  const [, type = '', length] = /^(.*)\[(\d*)\]$/.exec(input.type) ?? []
  if (length === undefined) return undefined
  return { item: { ...input, type }, length: length === '' ? undefined : Number(length) }
}

/** Whether a value is elsewhere, at an offset. */
function isDynamic(input: AbiParameter): boolean {
  const list = listOf(input)
  if (list) return list.length === undefined || isDynamic(list.item)
  if (input.type === 'tuple') return componentsOf(input).some(isDynamic)
  return input.type === 'bytes' || input.type === 'string'
}

/** Bytes that a value has in place: those of its offset, if it is elsewhere. */
function headSize(input: AbiParameter): number {
  if (isDynamic(input)) return WORD
  const list = listOf(input)
  if (list) return (list.length ?? 0) * headSize(list.item)
  if (input.type !== 'tuple') return WORD
  return componentsOf(input).reduce((sum, component) => sum + headSize(component), 0)
}
