/** Decimals of the coin at an endpoint: 6, where the smallest unit is the sun, or 18 as on Ethereum. */
export type CoinDecimals = 6 | 18

/** A whole number with separators between thousands: `14,825`. */
export function grouped(value: bigint | number | string): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** `1 log`, `14,825 logs`. */
export function plural(count: bigint | number, noun: string, many = `${noun}s`): string {
  return `${grouped(count)} ${BigInt(count) === 1n ? noun : many}`
}

/** A decimal number as an integer with these decimals: `1.5` is 1500000 with six. Undefined for other text, and for more decimals. */
export function parseUnits(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d*))?$/.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** An integer with its decimals, grouped, without trailing zeros: `1,234.5`. */
export function unitsText(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? '-' : ''
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, '0')
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '')
  const whole = grouped(digits.slice(0, digits.length - decimals))
  return `${sign}${whole}${fraction && `.${fraction}`}`
}

/** An amount of the smallest unit in coins: `1,234.5 coins`. */
export function coinText(amount: bigint, decimals: CoinDecimals): string {
  const text = unitsText(amount, decimals)
  return `${text} ${text === '1' ? 'coin' : 'coins'}`
}
