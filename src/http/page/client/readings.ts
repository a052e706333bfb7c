import { type CoinDecimals, coinText, grouped } from '../../../codec/coin.ts'

/** Fields that hold an amount of the coin. */
const AMOUNTS = new Set([
  'value',
  'gasPrice',
  'effectiveGasPrice',
  'baseFeePerGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
])

/** Methods whose whole result is an amount of the coin. */
const AMOUNT_METHODS = new Set(['eth_getBalance', 'eth_gasPrice', 'eth_maxPriorityFeePerGas'])

const MAX_ROWS = 60

/** Readable forms of the quantities of an answer: decimal, coins, or a time. */
export function readings(method: string, result: unknown, decimals: CoinDecimals): string[][] {
  const rows: string[][] = []
  visit('', result)
  return rows

  function visit(path: string, value: unknown): void {
    if (rows.length >= MAX_ROWS) return
    if (typeof value === 'string') {
      const text = reading(path.split('.').at(-1) ?? '', value)
      if (text) rows.push([path || method, text])
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        visit(path ? `${path}.${index}` : `${index}`, item)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) visit(path ? `${path}.${name}` : name, item)
    }
  }

  function reading(name: string, text: string): string | undefined {
    // Hashes, addresses and data have a fixed or even length; a quantity has no leading zero.
    if (!/^0x(0|[1-9a-f][0-9a-f]{0,30})$/.test(text)) return undefined
    const number = BigInt(text)
    if (/timestamp$/i.test(name)) return new Date(Number(number) * 1_000).toISOString()
    if (AMOUNTS.has(name) || (name === '' && AMOUNT_METHODS.has(method)))
      return `${coinText(number, decimals)} (${grouped(number)} ${decimals === 18 ? 'wei' : 'sun'})`
    return grouped(number)
  }
}
