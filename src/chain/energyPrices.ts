import { LRUCache } from 'lru-cache'
import type { Hash } from 'viem'

import {
  changedBetween,
  type EnergyPrice,
  energyPriceAfter,
  parseEnergyPrices,
} from '../codec/energyPrice.ts'
import { UpstreamError } from '../errors.ts'
import type { NativeClient } from '../native/client.ts'
import type { HeadBlock } from './headTypes.ts'

/** The fields of a block that determine its price. */
export type PricedBlock = Pick<HeadBlock, 'hash' | 'parentHash' | 'timestamp'>

/** The prices of energy in sun. */
export type EnergyPrices = {
  /** The price that a block pays. @throws UpstreamError */
  of(block: PricedBlock): Promise<bigint>
  /** The price that the block after one with this timestamp in milliseconds pays. @throws UpstreamError */
  after(time: number): Promise<bigint>
  /** The time in milliseconds of the next maintenance, which may change the prices. */
  certainTo(): number
}

/**
 * The longest time in milliseconds without a block at a change of the price. Only for blocks that are less than this after a
 * change, the time of the block before is read. Blocks have a distance of 3 s.
 */
const LONGEST_GAP = 60_000

/** Times of blocks that are kept. There are 20 such blocks after each change. */
const MOST_TIMES = 1_000

/**
 * Prices change only at a maintenance, a few times a day. The history is read once and is valid until the next
 * maintenance, so the price of a block is exact and rarely costs a call. The first block after that maintenance causes the
 * next read.
 */
export function createEnergyPrices({
  native,
  priceOfBlock,
}: createEnergyPrices.Options): EnergyPrices {
  const times = new LRUCache<Hash, number>({ max: MOST_TIMES })
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

  /** Reads the history when a maintenance may have changed it up to this time. */
  async function readTo(time: number): Promise<void> {
    while (time > completeTo) {
      reading ??= read(time).finally(() => {
        reading = undefined
      })
      await reading
    }
  }

  /** The time of the block before. */
  async function parentTime({ parentHash }: PricedBlock): Promise<number> {
    const known = times.get(parentHash)
    if (known !== undefined) return known
    const parent = await native.wallet.getBlock({ id_or_num: parentHash.slice(2) })
    if (!parent) throw new UpstreamError(`the node does not have block ${parentHash}`)
    const time = parent.block_header.raw_data.timestamp ?? 0
    times.set(parentHash, time)
    return time
  }

  return {
    certainTo: () => completeTo,
    async of(block) {
      const { hash, timestamp } = block
      const chosen = priceOfBlock?.(timestamp)
      if (chosen !== undefined) return chosen
      await readTo(timestamp)
      const earliest = timestamp - LONGEST_GAP
      if (!changedBetween(prices, earliest, timestamp)) return energyPriceAfter(prices, earliest)
      times.set(hash, timestamp)
      return energyPriceAfter(prices, await parentTime(block))
    },
    async after(time) {
      await readTo(time)
      return energyPriceAfter(prices, time)
    },
  }
}

export declare namespace createEnergyPrices {
  type Options = {
    native: {
      wallet: Pick<
        NativeClient['wallet'],
        'getBlock' | 'getEnergyPrices' | 'getNextMaintenanceTime'
      >
    }
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
