import { grouped } from '../../codec/coin.ts'
import { withChecksum } from '../../lib/address.ts'
import { integer, scalar } from '../base/json.ts'
import { textOf } from '../base/node.ts'
import { tryAddress } from '../text/address.ts'
import type { Unit } from '../text/unit.ts'
import { time } from './table.ts'

/** A list of an answer; an absent one is empty. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** An address as every table shows it: 0x with its checksum. Other text, which the genesis block has, is shown unchanged. */
export function shownAddress(value: unknown): string {
  const text = scalar(value) ?? ''
  const address = tryAddress(text)
  return address ? withChecksum(address.eth) : text
}

/** A hash as every table shows it. */
export function shownHash(value: unknown): string {
  const text = scalar(value) ?? ''
  return /^[0-9a-f]{64}$/.test(text) ? `0x${text}` : text
}

/** An amount in coins. */
export function coins(value: unknown, unit: Unit): string | undefined {
  return value === undefined ? undefined : unit.text(integer(value))
}

/** Milliseconds as a date. */
export function date(value: unknown): string | undefined {
  return value === undefined ? undefined : time(Number(integer(value)))
}

/** Bytes that are readable text. */
export function memo(value: unknown): string | undefined {
  return value === undefined ? undefined : textOf(scalar(value) ?? '')
}

/** Hex; long hex is shortened. */
export function shortHex(text: string | undefined): string | undefined {
  return text !== undefined && text.length > 136
    ? `${text.slice(0, 136)}… (${grouped(text.length / 2)} bytes)`
    : text || undefined
}

/** The fields that have a value. */
export function filled(
  fields: readonly (readonly [string, string | undefined])[],
): [string, string][] {
  return fields.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as [string, string]],
  )
}
