/** The price of one unit of energy in sun, and the time in milliseconds from which it applies. */
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
 * The price that a block pays. The time of an entry is that of a maintenance, which runs after the transactions of the first block
 * at or after it. That block still pays the old price, and its child pays the new one. Genesis pays the first price; the node's own
 * JSON-RPC gives it the current one.
 *
 * @param time - timestamp of the parent block, in milliseconds.
 */
export function energyPriceAfter(prices: readonly EnergyPrice[], time: number): bigint {
  return (prices.findLast(({ since }) => since <= time) ?? prices[0])?.sun ?? 0n
}

/** Whether the price changed between two times in milliseconds. */
export function changedBetween(
  prices: readonly EnergyPrice[],
  after: number,
  before: number,
): boolean {
  return prices.some(({ since }, index) => index > 0 && since > after && since < before)
}
