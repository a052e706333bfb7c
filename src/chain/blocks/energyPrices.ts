import { LRUCache } from 'lru-cache'
import type { Hash } from 'viem'

import {
  changedBetween,
  type EnergyPrice,
  energyPriceAfter,
  parseEnergyPrices,
} from '../../codec/energyPrice.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { NativeClient } from '../../native/client.ts'
import type { HeadBlock } from '../head/headTypes.ts'

/** The fields of a block that determine its price. */
export type PricedBlock = Pick<HeadBlock, 'hash' | 'parentHash' | 'timestamp'>

/** The prices of energy in sun. */
export type EnergyPrices = ReturnType<typeof createEnergyPrices>

/**
 * The time of the parent block is read only for blocks within these milliseconds after a price change. A block is produced every 3 s.
 * If none was produced for longer, the first block after the change is shown with the new price.
 */
const PARENT_READ_TIME = 60_000

/** Maximum number of cached block times. Each price change needs about 20. */
const MAX_TIMES = 1_000

/**
 * Prices change only at a maintenance, a few times a day. The history is read once and is valid until the next
 * maintenance, so the price of a block rarely costs a call. The first block after that maintenance causes the
 * next read.
 */
export function createEnergyPrices({ native, priceOfBlock }: createEnergyPrices.Options) {
  const times = new LRUCache<Hash, number>({ max: MAX_TIMES })
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

  /** The timestamp of the parent block. */
  async function parentTime({ parentHash }: PricedBlock): Promise<number> {
    const known = times.get(parentHash)
    if (known !== undefined) return known
    const parent = await native.wallet.getBlock({ id_or_num: parentHash.slice(2) })
    if (!parent) throw new UpstreamError(`the node does not have block ${parentHash}`)
    const time = parent.block_header.raw_data.timestamp ?? 0
    times.set(parentHash, time)
    return time
  }

  /** The price that a block of this time pays (milliseconds). Undefined when that depends on its parent. @throws UpstreamError */
  async function priceAt(timestamp: number): Promise<bigint | undefined> {
    await readTo(timestamp)
    const earliest = timestamp - PARENT_READ_TIME
    return changedBetween(prices, earliest, timestamp)
      ? undefined
      : energyPriceAfter(prices, earliest)
  }

  return {
    /** Reads the history again: that of another branch, or of a private chain that was reset, may have other prices. */
    forget(): void {
      completeTo = -1
    },
    /** The time in milliseconds of the next maintenance, which may change the prices. */
    certainTo: () => completeTo,
    at: priceAt,
    /** The price that a block pays. @throws UpstreamError */
    async of(block: PricedBlock): Promise<bigint> {
      const { hash, timestamp } = block
      const steady = priceOfBlock?.(hash) ?? (await priceAt(timestamp))
      if (steady !== undefined) return steady
      times.set(hash, timestamp)
      return energyPriceAfter(prices, await parentTime(block))
    },
    /** The price for a block after a parent with this timestamp (milliseconds). @throws UpstreamError */
    async after(time: number): Promise<bigint> {
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
    /** The price of a block that has one of its own. */
    priceOfBlock?: ((hash: Hash) => bigint | undefined) | undefined
  }
}

function parse(text: string | undefined): EnergyPrice[] {
  try {
    return parseEnergyPrices(text ?? '')
  } catch (cause) {
    throw new UpstreamError('the energy price history of the node is not readable', { cause })
  }
}
