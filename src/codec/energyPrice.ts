/** The price of one unit of energy in sun, since a time in milliseconds. */
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
 * The price that the block after one with this timestamp in milliseconds pays: the last entry up to that time. The time of an entry
 * is that of a maintenance, which runs after the transactions of the first block at or after it, so that block still pays the
 * price before.
 *
 * Genesis, which has no block before it, has the first price; the node's own JSON-RPC gives it the current one.
 */
export function energyPriceAfter(prices: readonly EnergyPrice[], time: number): bigint {
  return (prices.findLast(({ since }) => since <= time) ?? prices[0])?.sun ?? 0n
}

/** Whether the price changed after one time and before another, in milliseconds. */
export function changedBetween(
  prices: readonly EnergyPrice[],
  after: number,
  before: number,
): boolean {
  return prices.slice(1).some(({ since }) => since > after && since < before)
}
