import { tryAddress } from './address.ts'
import { formatCoins, group } from './amount.ts'
import { integer, scalar } from './json.ts'
import { textOf } from './node.ts'
import { time } from './table.ts'

/** A list of an answer; an absent one is empty. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** An address as wallets show it. Other text, which the genesis block has, is shown unchanged. */
export function shownAddress(value: unknown): string {
  const text = scalar(value) ?? ''
  return tryAddress(text)?.base58 ?? text
}

/** Sun as coins. */
export function coins(value: unknown): string | undefined {
  return value === undefined ? undefined : formatCoins(integer(value))
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
    ? `${text.slice(0, 136)}… (${group(text.length / 2)} bytes)`
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
