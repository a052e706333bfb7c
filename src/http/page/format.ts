import type { Hex } from 'viem'

/** Sun in one coin. */
const SUN = 1_000_000n

/** A whole number with separators between thousands. */
export function grouped(value: bigint | number): string {
  return value.toLocaleString('en')
}

/** An amount of sun in coins, without trailing zeros: `1,234.5 coins`. */
export function coins(sun: bigint): string {
  const sign = sun < 0n ? '-' : ''
  const amount = sun < 0n ? -sun : sun
  const fraction = String(amount % SUN)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const text = `${sign}${grouped(amount / SUN)}${fraction && `.${fraction}`}`
  return `${text} ${text === '1' ? 'coin' : 'coins'}`
}

/** A token amount with its decimals applied. */
export function units(amount: bigint, decimals: number): string {
  if (decimals === 0) return grouped(amount)
  const scale = 10n ** BigInt(decimals)
  const fraction = String(amount % scale)
    .padStart(decimals, '0')
    .replace(/0+$/, '')
  return `${grouped(amount / scale)}${fraction && `.${fraction}`}`
}

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
