import type { AbiParameter, Hex } from 'viem'

import { decodeReturn } from '../../codec/abi.ts'
import { plural } from '../../codec/coin.ts'
import { withChecksum } from '../../lib/address.ts'
import { usageError } from '../base/errors.ts'
import { scalar, stringify } from '../base/json.ts'
import { plain } from '../text/abi.ts'
import type { Result } from './result.ts'

/** Decoded values for people and programs: in the format of cast on a terminal. @throws CommandError (usage) */
export function decodedValues(types: readonly AbiParameter[], data: Hex): Result {
  try {
    const values = decodeReturn(data, types)
    const exact = values.map(plain)
    return {
      value: exact.length === 1 ? exact[0] : exact,
      text: () => values.map((value, at) => textOf(value, types[at] as AbiParameter)).join('\n'),
      plain: () => exact.map((value) => withChecksum(scalar(value) ?? stringify(value))).join('\n'),
    }
  } catch (error) {
    throw usageError(
      `${plural((data.length - 2) / 2, 'byte')} cannot be read as (${types.map(({ type }) => type).join(',')}): ${(error as Error).message.split('\n')[0]}`,
    )
  }
}

/** One value as cast prints it: large integers also rounded, lists in brackets, tuples in parentheses. */
function textOf(value: unknown, type: AbiParameter): string {
  if (typeof value === 'bigint' || typeof value === 'number') return integerText(BigInt(value))
  if (typeof value === 'string') return type.type === 'string' ? JSON.stringify(value) : value
  if (Array.isArray(value) && type.type.endsWith(']')) {
    const item = { ...type, type: type.type.replace(/\[\d*\]$/, '') }
    return `[${value.map((each) => textOf(each, item)).join(', ')}]`
  }
  if (typeof value !== 'object' || value === null) return String(value)
  const { components } = type as AbiParameter & { components: readonly AbiParameter[] }
  const members = Object.values(value) as unknown[]
  const texts = members.map((each, at) => textOf(each, components[at] ?? type))
  return `(${texts.join(', ')})`
}

/** `123456789 [1.234e8]` */
function integerText(value: bigint): string {
  const digits = String(value < 0n ? -value : value)
  if (digits.length < 5) return String(value)
  const fraction = digits.slice(1, 4).replace(/0+$/, '')
  const sign = value < 0n ? '-' : ''
  return `${value} [${sign}${digits[0]}${fraction && `.${fraction}`}e${digits.length - 1}]`
}
