import type { Chain } from '../chain/blocks/chainTypes.ts'
import { RpcError } from '../lib/errors.ts'
import type { NativeClient } from '../native/client.ts'

/** Milliseconds for which the network's largest fee limit is cached. Votes change it, at most every few hours. */
const CAP_AGE = 60_000

/**
 * Factor of the fee limit when the next maintenance is before the expiration of a transaction. Only a maintenance changes
 * prices, by vote. If it doubled the price, a call with a fee limit at the old price would stop half-way. Otherwise the
 * price is certain and the fee limit has no headroom.
 */
const PRICE_CHANGE_HEADROOM = 2n

/** The most energy that a contract call or creation may use. */
export type Fees = {
  /**
   * The fee limit of a transaction in sun: gas × the current energy price, at most gas × the sender's maximum and the limit
   * of the network. A sender pays the energy price, even if its maximum is higher.
   *
   * @throws RpcError `-32000 transaction underpriced` when the maximum is below the energy price: the transaction would
   * stop half-way and cost its whole limit.
   */
  limit(offer: Fees.Offer): Promise<bigint>
}

export declare namespace Fees {
  type Offer = {
    gas: bigint
    /** The sender's maximum for one unit of energy in sun: `gasPrice` or `maxFeePerGas`. @default the current price */
    gasPrice?: bigint | undefined
    /** Expiration of the transaction, milliseconds. */
    expiration: number
  }
}

/** Creates the fee limits of a chain. */
export function createFees({
  chain,
  native,
  now = () => performance.now(),
}: createFees.Options): Fees {
  let cap: { value: bigint; at: number } | undefined

  async function networkCap(): Promise<bigint> {
    if (cap && now() - cap.at < CAP_AGE) return cap.value
    const { chainParameter } = await native.wallet.getChainParameters()
    const parameter = chainParameter?.find(({ key }) => key === 'getMaxFeeLimit')
    cap = { value: BigInt(parameter?.value ?? DEFAULT_CAP), at: now() }
    return cap.value
  }

  return {
    async limit({ expiration, gas, gasPrice }) {
      const price = await chain.energyPrice()
      if (gasPrice !== undefined && gasPrice < price)
        throw new RpcError(
          -32000,
          `transaction underpriced: gas price ${gasPrice}, energy price ${price}`,
        )
      const mayChange = expiration > chain.energyPriceCertainTo()
      const highest = mayChange ? price * PRICE_CHANGE_HEADROOM : price
      const limit = gas * least(highest, gasPrice ?? highest)
      return least(limit, await networkCap())
    },
  }
}

export declare namespace createFees {
  type Options = {
    chain: Pick<Chain, 'energyPrice' | 'energyPriceCertainTo'>
    native: { wallet: Pick<NativeClient['wallet'], 'getChainParameters'> }
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
  }
}

/** Used when the node does not report the limit: 1,000 coins, the network's first value. */
const DEFAULT_CAP = 1_000_000_000

/** The smaller of two amounts. */
export const least = (a: bigint, b: bigint) => (a < b ? a : b)
