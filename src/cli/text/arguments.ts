import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
} from 'viem'

import * as codec from '../../codec/abiArguments.ts'
import { usageError } from '../base/errors.ts'

/** Encodes a call from words of a command line. @throws CommandError (usage) that names the argument */
export function encodeCall(item: AbiFunction, words: readonly string[]): Hex {
  return asUsage(() => codec.encodeCall(item, words))
}

/** Encodes arguments without a selector; `0x` without any. @throws CommandError (usage) that has this name and the argument's */
export function encodeArguments(
  name: string,
  inputs: readonly AbiParameter[],
  words: readonly string[],
): Hex {
  return encodeAbiParameters(inputs, readArguments(name, inputs, words))
}

/** Encodes the topics and the data of a log; all arguments in the order of the event. @throws CommandError (usage) */
export function encodeEvent(
  item: Abi[number],
  words: readonly string[],
): { topics: Hex[]; data: Hex } {
  if (item.type !== 'event') throw usageError('the signature is not that of an event')
  const values = readArguments(item.name, item.inputs, words)
  const isIndexed = (_: unknown, index: number) => item.inputs[index]?.indexed === true
  const topics = encodeEventTopics({ abi: [item], args: values.filter(isIndexed) })
  const inputs = item.inputs.filter(({ indexed }) => !indexed)
  const data = encodeAbiParameters(
    inputs,
    values.filter((_, index) => !isIndexed(_, index)),
  )
  return { topics: topics as Hex[], data }
}

function readArguments(...given: Parameters<typeof codec.readArguments>): unknown[] {
  return asUsage(() => codec.readArguments(...given))
}

function asUsage<value>(read: () => value): value {
  try {
    return read()
  } catch (error) {
    throw error instanceof TypeError ? usageError(error.message) : error
  }
}
