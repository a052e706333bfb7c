/** The unit of coin amounts at an endpoint. Internally all amounts are in sun, 10^-6 of the coin. */
export type Unit = {
  /**
   * Converts an amount of this unit to sun.
   *
   * @throws Error when the amount is not a whole number of sun, because rounding would change it.
   */
  toSun(amount: bigint): bigint
  /**
   * Converts the most that a sender pays for one unit of gas to sun, rounded down. Wallets compute odd ones, such as twice
   * the price and a tip of 1.5 gwei, and a lower maximum charges nobody more.
   */
  toPrice(price: bigint): bigint
  fromSun(sun: bigint): bigint
}

/** 10^-6 of the coin, the unit of the chain. */
export const SUN: Unit = {
  toSun: (amount) => amount,
  toPrice: (price) => price,
  fromSun: (sun) => sun,
}

const WEI_PER_SUN = 10n ** 12n

/** 10^-18 of the coin, as Ethereum counts. */
export const WEI: Unit = {
  toSun(wei) {
    if (wei % WEI_PER_SUN === 0n) return wei / WEI_PER_SUN
    throw new Error(`expected a multiple of 10^12 (the smallest unit of the coin), got ${wei}`)
  },
  toPrice: (price) => price / WEI_PER_SUN,
  fromSun: (sun) => sun * WEI_PER_SUN,
}
