import type { Chain } from '../chain/chainTypes.ts'
import { RpcError } from '../errors.ts'
import type { NativeClient } from '../native/client.ts'

/** Milliseconds that the network's cap is cached. It changes by vote, at most every few hours. */
const CAP_AGE = 60_000

/**
 * Times the energy price that a fee limit buys when the next maintenance falls into the life of a transaction. Prices
 * change only then, by vote; a fee limit at the old price would stop a call half-way that the new price doubled.
 * Otherwise the price is certain and the fee limit has no headroom.
 */
const PRICE_CHANGE_HEADROOM = 2n

/** The most energy that a contract call or creation may use. */
export type Fees = {
  /**
   * The fee limit of a transaction, sun: gas × the energy price in force, never more than the sender offered or the network
   * allows. A sender pays the energy price, whatever it offered on top.
   *
   * @throws RpcError `-32000 transaction underpriced` when the offer does not pay for energy: the transaction would
   * stop half-way and cost its whole limit.
   */
  limit(offer: Fees.Offer): Promise<bigint>
}

export declare namespace Fees {
  type Offer = {
    gas: bigint
    /**
     * The most that the sender pays for one unit of energy, sun: `gasPrice` or `maxFeePerGas`. Absent: the price in
     * force.
     */
    gasPrice?: bigint | undefined
    /** Expiration of the transaction, milliseconds. */
    expiration: number
  }
}

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

/** 1,000 coins: the network's first value. */
const DEFAULT_CAP = 1_000_000_000

const least = (a: bigint, b: bigint) => (a < b ? a : b)
