import type { Hex } from 'viem'

import { SUN, type Unit } from '../../codec/unit.ts'
import type { Config } from '../../config/config.ts'
import { toNativeAddress } from '../../lib/address.ts'
import { InvalidParamsError, RpcError } from '../../lib/errors.ts'
import type { CallRequest } from '../../rpc/params/callParam.ts'
import {
  balanceOf,
  defaultTip,
  type DevChain,
  estimateEthereum,
  EstimateFailure,
  gasPriceOf,
  readAuthorizations,
  readEthereum,
  type SignedEthereum,
  signEthereum,
  type Unlocked,
  type UnsignedEthereum,
} from '../index.ts'
import { stateOf } from './blockState.ts'

/** Decides the type of transactions without fee fields. */
type FeeConfig = Pick<Config, 'feeSignal'>

/** Fills in and signs transactions. */
export type Signer = ReturnType<typeof createSigner>

/** Creates the signer of a chain, for its own accounts and for impersonated ones. */
export function createSigner(chain: DevChain, unlocked: Unlocked) {
  const { ledger } = chain

  /** The sender of a request: without `from` the first account of the chain, as on anvil. */
  const senderOf = ({ from }: CallRequest): string =>
    from ? toNativeAddress(from) : (chain.accounts[0] as DevChain['accounts'][0]).address

  /**
   * Fills in the missing fields of a transaction object.
   *
   * @throws EstimateFailure when it has no gas and fails with any.
   */
  async function fill(request: CallRequest, { feeSignal }: FeeConfig): Promise<UnsignedEthereum> {
    const { chainId } = chain
    if (request.chainId !== undefined && request.chainId !== BigInt(chainId))
      throw new RpcError(-32000, `invalid chain id: have ${request.chainId} want ${chainId}`)
    const { authorizationList, data, to, type, value } = request
    // A call or an estimate of it succeeds, as in geth. Sent, it would lock its value in a contract without code.
    if (!to && data === '0x')
      throw new RpcError(-32000, 'contract creation without any data provided')
    const from = senderOf(request)
    const accessList = request.accessList ?? (type === 1n ? [] : undefined)
    const { block, state } = await stateOf(chain, 'pending', 'full')
    const price = gasPriceOf(state, { block })
    const fees = feesOf(request, price, defaultTip(ledger.rules), feeSignal)
    const { gasPrice, maxFeePerGas: maxPrice, maxPriorityFeePerGas: tip } = fees
    const gas =
      request.gas ??
      (await estimateEthereum(
        state,
        {
          data: data.slice(2),
          from,
          value,
          // Contracts that read the price of gas may need more of it for one price than for another.
          ...(gasPrice === undefined ? { maxPrice, tip } : { gasPrice }),
          ...(to && { to: `41${to.slice(2)}` }),
          ...(accessList && { accessList }),
          ...(authorizationList && { authorizations: readAuthorizations(authorizationList) }),
        },
        { block, explain: true, rules: ledger.rules },
      ))
    return {
      from,
      ...(to && { to }),
      value,
      data,
      gas,
      nonce: Number(request.nonce ?? ledger.pendingNonce(from)),
      chainId,
      ...(accessList && { accessList }),
      ...(authorizationList && { authorizationList }),
      ...fees,
    }
  }

  /**
   * Fills in a transaction that is sent. One that fails gets the highest gas limit that its sender can pay, and so a block
   * with a failed transaction, as on anvil and Hardhat.
   */
  async function prepare(request: CallRequest, config: FeeConfig): Promise<UnsignedEthereum> {
    try {
      return await fill(request, config)
    } catch (error) {
      if (!(error instanceof EstimateFailure)) throw error
      const { limit, result } = error
      const filled = await fill({ ...request, gas: limit }, config)
      const { from, gasPrice, maxFeePerGas: price = gasPrice, value } = filled
      const { state } = await stateOf(chain, 'pending', 'full')
      const balance = balanceOf(state, from)
      const payable = price ? (balance - value) / price : limit
      // Too little for the failed run: the pool refuses it for lack of funds.
      return { ...filled, gas: payable < result.energyUsed || payable > limit ? limit : payable }
    }
  }

  /** @throws RpcError when the sender of a request is not unlocked */
  function checkSender(request: CallRequest): void {
    const from = senderOf(request)
    if (!unlocked.has(from))
      throw new RpcError(
        -32000,
        `unknown account 0x${from.slice(2)}: it is neither an account of this chain nor impersonated`,
      )
  }

  async function sign(request: CallRequest, config: FeeConfig): Promise<SignedEthereum> {
    checkSender(request)
    const from = senderOf(request)
    return signEthereum(await prepare(request, config), unlocked.keyOf(from))
  }

  /** Signs a transaction that the client gets. An impersonated account has no key here, so its signature would be invalid. */
  async function signForClient(
    request: CallRequest,
    config: FeeConfig,
    unit: Unit,
  ): Promise<SignedEthereum> {
    const from = senderOf(request)
    const key = unlocked.keyOf(from)
    if (key === undefined)
      throw new RpcError(
        -32000,
        `unknown account 0x${from.slice(2)}: this chain does not have its key`,
      )
    return signEthereum(inUnit(await prepare(request, config), unit), key)
  }

  /** Reads a signed transaction of any sender. Its amounts are in the client's unit. */
  const read = (raw: Hex, unit: Unit = SUN): Promise<SignedEthereum> =>
    readEthereum(raw, chain.chainId, {
      ...unit,
      toSun(amount) {
        try {
          return unit.toSun(amount)
        } catch (error) {
          throw new InvalidParamsError(0, `value: ${(error as Error).message}`)
        }
      },
    })

  return { checkSender, fill, prepare, read, senderOf, sign, signForClient }
}

/** A transaction as a client signs or sends it, with amounts in its unit. */
export function inUnit(transaction: UnsignedEthereum, unit: Unit): UnsignedEthereum {
  const amounts = (['value', 'gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const).flatMap(
    (name) => {
      const amount = transaction[name]
      return amount === undefined ? [] : [[name, unit.fromSun(amount)] as const]
    },
  )
  return { ...transaction, ...Object.fromEntries(amounts) }
}

/** The fee fields of a request. As in geth, the maximum fee is twice the base fee plus the tip, if it is not given. */
function feesOf(
  { authorizationList, gasPrice, maxFeePerGas, maxPriorityFeePerGas, type }: CallRequest,
  price: bigint,
  usualTip: bigint,
  feeSignal: FeeConfig['feeSignal'],
): Pick<UnsignedEthereum, 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'> {
  const hasFees =
    (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined || authorizationList !== undefined
  const isLegacy = feeSignal === 'legacy' || type === 0n || type === 1n
  if (gasPrice !== undefined || (!hasFees && isLegacy))
    return { gasPrice: gasPrice ?? price + usualTip }
  const offered = maxPriorityFeePerGas ?? usualTip
  // A maximum fee without a tip may be below the usual tip.
  const tip = maxFeePerGas !== undefined && maxFeePerGas < offered ? maxFeePerGas : offered
  return { maxFeePerGas: maxFeePerGas ?? 2n * price + tip, maxPriorityFeePerGas: tip }
}
