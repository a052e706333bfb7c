import type { Chain } from '../chain/blocks/chainTypes.ts'
import type { Call } from '../lib/call.ts'
import { RpcError } from '../lib/errors.ts'
import type { NativeClient } from '../native/client.ts'
import { encodeTransaction } from '../native/protobuf/transaction.ts'
import type { Transaction } from '../native/wire/types.ts'

/** Milliseconds for which the parameters of the chain are cached. Votes change them, at most every few hours. */
const PARAMETERS_AGE = 60_000

/** Bytes that the chain counts for the result of a transaction. */
const RESULT_BYTES = 64

/**
 * Factor of the fee limit when the next maintenance is before the expiration of a transaction. Only a maintenance changes
 * prices, by vote. If it doubled the price, a call with a fee limit at the old price would stop half-way. Otherwise the
 * price is certain and the fee limit has no headroom.
 */
const PRICE_CHANGE_HEADROOM = 2n

/** Stands for a signature where only its size counts. */
const SIGNATURE = '00'.repeat(65)

/** The points of bandwidth that an unsigned transaction uses when it is signed: its bytes, and those for its result. */
export const pointsOf = (unsigned: Parameters<typeof encodeTransaction>[0]): bigint =>
  BigInt(encodeTransaction({ ...unsigned, signature: [SIGNATURE] }).length / 2 + RESULT_BYTES)

/**
 * What a transaction offers for its energy. `gasPrice`: the sender's maximum for one unit in sun, by default the current price.
 * `expiration`: milliseconds.
 */
type Offer = { gas: bigint; gasPrice?: bigint | undefined; expiration: number }

/** Creates the fee limits of a chain. */
export function createFees({ chain, native, now = () => performance.now() }: createFees.Options) {
  let known: { values: Map<string, number | bigint | undefined>; at: number } | undefined

  /** The parameters of the chain: a function that returns a value by its key, or 0 when the node does not report it. */
  async function parameters(call?: Call) {
    if (!known || now() - known.at >= PARAMETERS_AGE) {
      const { chainParameter = [] } = await native.wallet.getChainParameters(undefined, call)
      known = { values: new Map(chainParameter.map(({ key, value }) => [key, value])), at: now() }
    }
    const { values } = known
    return (key: string) => BigInt(values.get(key) ?? 0)
  }

  /** Whether a transfer may create its target. A solidified account exists on every branch. */
  async function mayCreate({ contract }: Transaction['raw_data']): Promise<boolean> {
    const [{ parameter, type } = {}] = contract ?? []
    if (type !== 'TransferContract') return false
    const address = String(parameter?.value?.['to_address'])
    return (await native.solidity.getAccount({ address })) === undefined
  }

  return {
    parameters,
    /**
     * The fee limit of a transaction in sun: gas × the current energy price, at most gas × the sender's maximum and the limit of the
     * network. A sender pays the energy price, even if its maximum is higher.
     *
     * @throws RpcError `-32000 transaction underpriced` when the maximum is below the energy price: the transaction would stop half-way
     * and cost its whole limit.
     */
    async limit({ expiration, gas, gasPrice }: Offer): Promise<bigint> {
      const price = await chain.energyPrice()
      if (gasPrice !== undefined && gasPrice < price)
        throw new RpcError(
          -32000,
          `transaction underpriced: gas price ${gasPrice}, energy price ${price}`,
        )
      const mayChange = expiration > chain.energyPriceCertainTo()
      const highest = mayChange ? price * PRICE_CHANGE_HEADROOM : price
      const cap = (await parameters())('getMaxFeeLimit') || DEFAULT_CAP
      return least(gas * least(highest, gasPrice ?? highest), cap)
    },
    /**
     * The most sun that a signed transaction can cost beside its value: its fee limit, its points as if no bandwidth were left, the fee
     * for a memo, and for a transfer the fees of the account that it may create.
     */
    async most(raw_data: Transaction['raw_data'], points: bigint): Promise<bigint> {
      const [fee, isNew] = await Promise.all([parameters(), mayCreate(raw_data)])
      const bandwidth = fee('getTransactionFee') * points
      const creation = fee('getCreateNewAccountFeeInSystemContract') + fee('getCreateAccountFee')
      const memo = raw_data.data ? fee('getMemoFee') : 0n
      return BigInt(raw_data.fee_limit ?? 0) + bandwidth + memo + (isNew ? creation : 0n)
    },
  }
}

export declare namespace createFees {
  type Options = {
    chain: Pick<Chain, 'energyPrice' | 'energyPriceCertainTo'>
    native: {
      wallet: Pick<NativeClient['wallet'], 'getChainParameters'>
      solidity: Pick<NativeClient['solidity'], 'getAccount'>
    }
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
  }
}

/** Used when the node does not report the limit: 1,000 coins, the network's first value. */
const DEFAULT_CAP = 1_000_000_000n

/** The smaller of two amounts. */
export const least = (a: bigint, b: bigint) => (a < b ? a : b)
