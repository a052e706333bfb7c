/** The price of one unit of energy in sun, valid from a time in milliseconds. */
export type EnergyPrice = { since: number; sun: bigint }

/**
 * Reads the price history of `getenergyprices`: `0:100,1542607200000:20,…`, ascending.
 *
 * @throws Error when the text has another format.
 */
export function parseEnergyPrices(text: string): EnergyPrice[] {
  return text.split(',').map((entry) => {
    const [, since, sun] = /^\s*(\d+):(\d+)\s*$/.exec(entry) ?? []
    if (since === undefined || sun === undefined)
      throw new Error('energy price history not readable')
    return { since: Number(since), sun: BigInt(sun) }
  })
}

/**
 * The price at a time in milliseconds: the last entry that is valid from this time or an earlier one.
 *
 * Genesis, whose time may be zero, has the first price; the node's own JSON-RPC gives it the current one.
 */
export function energyPriceAt(prices: readonly EnergyPrice[], time: number): bigint {
  return (prices.findLast(({ since }) => since <= time) ?? prices[0])?.sun ?? 0n
}
