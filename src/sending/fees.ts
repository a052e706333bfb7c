import type { Chain } from '../chain/chainTypes.ts'
import { RpcError } from '../errors.ts'
import type { NativeClient } from '../native/client.ts'

/** How long the network's cap is believed. It changes by vote, at most every few hours. */
const CAP_AGE = 60_000

/** What a contract call or creation may cost in energy. */
export type Fees = {
  /**
   * The fee limit of a gas limit and a gas price: their product in sun, at most what the network allows.
   *
   * @throws RpcError `-32000 transaction underpriced` when the price does not pay for energy: the transaction would stop half-way
   * and cost its whole limit.
   */
  limit(gas: bigint, gasPrice: bigint): Promise<bigint>
}

export function createFees({ chain, native, now = Date.now }: createFees.Options): Fees {
  let cap: { value: bigint; at: number } | undefined

  async function networkCap(): Promise<bigint> {
    if (cap && now() - cap.at < CAP_AGE) return cap.value
    const { chainParameter } = await native.wallet.getChainParameters()
    const parameter = chainParameter?.find(({ key }) => key === 'getMaxFeeLimit')
    cap = { value: BigInt(parameter?.value ?? DEFAULT_CAP), at: now() }
    return cap.value
  }

  return {
    async limit(gas, gasPrice) {
      const price = await chain.energyPrice()
      if (gasPrice < price)
        throw new RpcError(
          -32000,
          `transaction underpriced: gas price ${gasPrice}, energy costs ${price}`,
        )
      const [limit, most] = [gas * gasPrice, await networkCap()]
      return limit < most ? limit : most
    },
  }
}

export declare namespace createFees {
  type Options = {
    chain: Pick<Chain, 'energyPrice'>
    native: NativeClient
    /** @default Date.now */
    now?: () => number
  }
}

/** 1,000 coins, what the network began with. */
const DEFAULT_CAP = 1_000_000_000
