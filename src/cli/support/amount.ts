import { usageError } from './errors.ts'

/** 1 coin = 1,000,000 sun. */
const DECIMALS = 6
const MAX_INT64 = 2n ** 63n - 1n

/**
 * Reads an amount of the coin: `1.5coin`, `1500000sun`. The unit is required, because a bare number means one thing to
 * Ethereum tools and another to native tools.
 *
 * @returns sun, exact
 * @throws CommandError (usage)
 */
export function parseCoins(text: string, option: string): bigint {
  const match = /^(\d[\d_,]*)(?:\.(\d+))?\s*(coins?|sun)$/i.exec(text.trim())
  if (!match) {
    const bare = /^\d+$/.test(text) ? `: write ${text}coin or ${text}sun` : ''
    throw usageError(
      `${option} needs an amount with its unit, such as 1.5coin or 1500000sun${bare}`,
    )
  }
  const [, whole = '', fraction = '', unit = ''] = match
  const digits = whole.replaceAll(/[_,]/g, '')
  if (unit.toLowerCase() === 'sun') {
    if (fraction !== '') throw usageError(`${option}: an amount in sun has no decimals`)
    return int64(BigInt(digits), option)
  }
  if (fraction.length > DECIMALS)
    throw usageError(`${option}: a coin has ${DECIMALS} decimals, "${text}" has ${fraction.length}`)
  return int64(BigInt(digits + fraction.padEnd(DECIMALS, '0')), option)
}

/**
 * Reads an amount of a token: whole units, or decimals when the token's number of them is given.
 *
 * @throws CommandError (usage)
 */
export function parseUnits(text: string, decimals: number, option: string): bigint {
  const match = /^(\d[\d_,]*)(?:\.(\d+))?$/.exec(text.trim())
  if (!match) throw usageError(`${option} needs a number, got "${text}"`)
  const [, whole = '', fraction = ''] = match
  if (fraction.length > decimals)
    throw usageError(`${option}: "${text}" has more than ${decimals} decimals (--decimals N)`)
  return int64(BigInt(whole.replaceAll(/[_,]/g, '') + fraction.padEnd(decimals, '0')), option)
}

function int64(value: bigint, option: string): bigint {
  if (value > MAX_INT64) throw usageError(`${option} is larger than the chain’s 2^63 - 1 sun`)
  return value
}

/** Sun as coins for people: `19,797,579.273724 coin`. */
export function formatCoins(sun: bigint): string {
  return `${formatUnits(sun, DECIMALS)} coin`
}

/** An integer with its decimals, grouped, without trailing zeros. */
export function formatUnits(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '')
  const whole = group(digits.slice(0, digits.length - decimals))
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** `1 log`, `14,825 logs`. */
export function plural(count: bigint | number, noun: string): string {
  return `${group(count)} ${noun}${BigInt(count) === 1n ? '' : 's'}`
}

/** Digits in groups of three: `14,825`. */
export function group(value: bigint | number | string): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}
