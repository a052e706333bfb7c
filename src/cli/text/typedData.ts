import { parse } from 'lossless-json'
import { BaseError, type TypedDataDefinition, validateTypedData } from 'viem'

import { isObject } from '../../lib/isObject.ts'
import { usageError } from '../base/errors.ts'
import { readText } from './input.ts'

/**
 * Reads typed data (EIP-712) in the form of `eth_signTypedData_v4`: JSON, or the name of a file with it.
 *
 * @throws CommandError (usage)
 */
export async function readTypedData(input: string): Promise<TypedDataDefinition> {
  const text = /^\s*\{/.test(input) ? input : await readText(input, '--data')
  try {
    // As bigints, numbers keep every digit.
    const given = parse(text, undefined, BigInt)
    for (const name of ['types', 'domain', 'message'])
      if (!isObject(given) || !isObject(given[name])) throw new Error(`${name} is no object`)
    const data = given as TypedDataDefinition
    if (!data.types[data.primaryType]) throw new Error('primaryType is not one of types')
    validateTypedData(data)
    return data
  } catch (error) {
    const reason = error instanceof BaseError ? error.shortMessage : (error as Error).message
    throw usageError(
      `--data needs typed data with types, primaryType, domain and message: ${reason}`,
    )
  }
}
