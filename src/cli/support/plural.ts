import { grouped } from '../../codec/coin.ts'

/** `1 log`, `14,825 logs`. */
export function plural(count: bigint | number, noun: string): string {
  return `${grouped(count)} ${noun}${BigInt(count) === 1n ? '' : 's'}`
}
