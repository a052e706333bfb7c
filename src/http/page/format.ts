import type { Hex } from 'viem'

import { coinText } from '../../codec/coin.ts'

export { grouped, unitsText as units } from '../../codec/coin.ts'

/** An amount of sun in coins. */
export const coins = (sun: bigint) => coinText(sun, 6)

/** A hash or address that keeps its first and last digits. */
export function short(hex: string, digits = 6): string {
  return hex.length <= 2 * digits + 4 ? hex : `${hex.slice(0, digits + 2)}…${hex.slice(-digits)}`
}

/** A time in UTC to the second: `2026-01-31 12:00:00 UTC`. @param milliseconds - since the epoch */
export function utc(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** How long ago something was, in its largest unit: `12 s`, `5 min`, `3 h`, `2 d`. @param seconds - not negative */
export function ago(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** A time span in a unit that suits it: `0.8 ms`, `120 ms`, `2.5 s`. @param ms - milliseconds */
export function span(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
  return `${(ms / 1_000).toFixed(1)} s`
}

/** Hex digits of text, or undefined when they are not printable UTF-8. */
export function hexText(hex: string | undefined): string | undefined {
  if (!hex) return undefined
  const text = Buffer.from(hex.replace(/^0x/, ''), 'hex').toString('utf8')
  return /^[\P{C}\n\t]*$/u.test(text) && !text.includes('\uFFFD') ? text : undefined
}

/** A wire quantity as a number that is safe to display. */
export function toNumber(quantity: Hex): number {
  return Number(BigInt(quantity))
}
