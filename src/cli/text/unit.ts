import { type CoinDecimals, coinText } from '../../codec/coin.ts'
import { MAX_INT64 } from '../../lib/int64.ts'
import { usageError } from '../base/errors.ts'

/** The smallest unit of a chain: sun (6 decimals), or wei on a development chain with 18 decimals. */
export type Unit = ReturnType<typeof createUnit>

/** Creates the unit of a chain whose coin has this many decimals. */
export function createUnit(decimals: CoinDecimals) {
  const smallest = decimals === 6 ? 'sun' : 'wei'
  return {
    decimals,
    /** An amount for people: `19,797,579.273724 coins`. */
    text: (amount: bigint) => coinText(amount, decimals),
    /**
     * Reads an amount with its unit: `1.5coin`, `1500000sun`; with 18 decimals also `1.5ether`. A bare number means one thing to Ethereum tools and another to
     * native tools, so it is refused.
     *
     * @throws CommandError (usage)
     */
    read(text: string, option: string) {
      const [, whole = '', fraction = '', name = ''] = AMOUNT.exec(text.trim()) ?? []
      const word = name.toLowerCase().replace(/^coins$/, 'coin')
      const unit = decimals === 18 && word === 'ether' ? 'coin' : word
      const digits = whole.replaceAll(/[_,]/g, '')
      if (digits === '' || (unit !== 'coin' && unit !== smallest))
        throw usageError(
          `${option}: "${text}" ${hint(fraction === '' ? digits : `${digits}.${fraction}`, unit, smallest)}`,
        )
      const places = unit === 'coin' ? decimals : 0
      if (fraction.length > places)
        throw usageError(`${option}: ${unit} has ${places} decimals, "${text}" has more`)
      const amount = BigInt(digits + fraction.padEnd(places, '0'))
      if (decimals === 6 && amount > MAX_INT64)
        throw usageError(`${option} is larger than the chain’s 2^63 - 1 sun`)
      return amount
    },
  }
}

/** A comma that is not between thousands may stand for a decimal point. */
const AMOUNT = /^(\d{1,3}(?:,\d{3})+|\d[\d_]*)(?:\.(\d+))?\s*([a-z]*)$/i

/** Why an amount cannot be read, and how to write it. The number is a decimal number, or empty if the text has none. */
export function hint(number: string, unit: string, smallest: string): string {
  if (number === '') return `is not an amount with its unit, such as 1.5coin or 1500000${smallest}`
  if (unit === '')
    return `has no unit: write ${number}coin${number.includes('.') ? '' : ` or ${number}${smallest}`}`
  const coin = smallest === 'sun' ? '1,000,000 sun' : '10^18 wei'
  return `has the unit ${unit}: the units of this chain are coin and ${smallest} (1 coin = ${coin}), such as ${number}coin`
}
