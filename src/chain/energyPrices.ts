import { type EnergyPrice, energyPriceAt, parseEnergyPrices } from '../codec/energyPrice.ts'
import { UpstreamError } from '../errors.ts'
import type { NativeClient } from '../native/client.ts'

/** The price of energy in sun, by block time. */
export type EnergyPrices = {
  /** The price that a block with this timestamp in milliseconds pays. @throws UpstreamError */
  at(time: number): Promise<bigint>
  /** The time in milliseconds of the next maintenance, which may change the prices. */
  certainTo(): number
}

/**
 * Prices change only at a maintenance, a few times a day. The history is read once and is valid until the next
 * maintenance, so the price of a block is exact and costs no call. The first block after that maintenance causes the
 * next read.
 */
export function createEnergyPrices({
  native,
  priceOfBlock,
}: createEnergyPrices.Options): EnergyPrices {
  let prices: readonly EnergyPrice[] = []
  /** Milliseconds; the history is complete up to here. */
  let completeTo = -1
  let reading: Promise<void> | undefined

  async function read(time: number): Promise<void> {
    // In this order, a maintenance between the two calls only makes the history expire early.
    const maintenance = await native.wallet.getNextMaintenanceTime()
    const { prices: text } = await native.wallet.getEnergyPrices()
    prices = parse(text)
    completeTo = Math.max(time, (maintenance.num ?? 0) - 1)
  }

  return {
    certainTo: () => completeTo,
    async at(time) {
      const chosen = priceOfBlock?.(time)
      if (chosen !== undefined) return chosen
      while (time > completeTo) {
        reading ??= read(time).finally(() => {
          reading = undefined
        })
        await reading
      }
      return energyPriceAt(prices, time)
    },
  }
}

export declare namespace createEnergyPrices {
  type Options = {
    native: { wallet: Pick<NativeClient['wallet'], 'getEnergyPrices' | 'getNextMaintenanceTime'> }
    /** The price of the block with this time in milliseconds, if it was chosen for this block only. */
    priceOfBlock?: ((time: number) => bigint | undefined) | undefined
  }
}

function parse(text: string | undefined): EnergyPrice[] {
  try {
    return parseEnergyPrices(text ?? '')
  } catch (cause) {
    throw new UpstreamError('the energy price history of the node is not readable', { cause })
  }
}
