import type { Hex } from 'viem'

import { SUN, type Unit } from '../codec/unit.ts'
import { estimateEthereum, gasPriceOf, readEthereum, signEthereum } from '../devchain/index.ts'
import type { DevChain, SignedEthereum, UnsignedEthereum } from '../devchain/index.ts'
import { InvalidParamsError, RpcError } from '../errors.ts'
import { stateOf } from './blockState.ts'
import type { SendRequest } from './requests.ts'
import type { Unlocked } from './unlocked.ts'

/** Fills in and signs transactions. */
export type Signer = ReturnType<typeof createSigner>

/** Creates the signer of a chain, for its own accounts and for impersonated ones. */
export function createSigner(chain: DevChain, unlocked: Unlocked) {
  const { ledger } = chain

  /** Fills in the missing fields of a transaction object. */
  async function fill(request: SendRequest): Promise<UnsignedEthereum> {
    const { chainId } = chain
    if (request.chainId !== undefined && request.chainId !== BigInt(chainId))
      throw new RpcError(-32000, `invalid chain id: have ${request.chainId} want ${chainId}`)
    const { data, from, to, value } = request
    const { block, state } = await stateOf(chain, 'pending', 'full')
    const gas =
      request.gas ??
      (await estimateEthereum(
        state,
        { data: data.slice(2), from, value, ...(to && { to: `41${to.slice(2)}` }) },
        { block, rules: ledger.rules },
      ))
    const price = gasPriceOf(state, { block })
    const { gasPrice, maxPriorityFeePerGas } = request
    // As in geth, if only a tip is given, the maximum fee is twice the base fee plus the tip.
    const maxFeePerGas =
      request.maxFeePerGas ??
      (maxPriorityFeePerGas === undefined || gasPrice !== undefined
        ? undefined
        : 2n * price + maxPriorityFeePerGas)
    return {
      from,
      ...(to && { to }),
      value,
      data,
      gas,
      nonce: Number(request.nonce ?? ledger.pendingNonce(from)),
      chainId,
      ...(maxFeePerGas === undefined
        ? { gasPrice: gasPrice ?? price }
        : { maxFeePerGas, ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas }) }),
    }
  }

  async function sign(request: SendRequest): Promise<SignedEthereum> {
    const { from } = request
    if (!unlocked.has(from))
      throw new RpcError(
        -32000,
        `unknown account 0x${from.slice(2)}: it is neither an account of this chain nor impersonated`,
      )
    return signEthereum(await fill(request), unlocked.keyOf(from))
  }

  /** Reads a signed transaction of any sender. Its amounts are in the client's unit. */
  const read = (raw: Hex, unit: Unit = SUN): Promise<SignedEthereum> =>
    readEthereum(raw, chain.chainId, (amount) => {
      try {
        return unit.toSun(amount)
      } catch (error) {
        throw new InvalidParamsError(0, (error as Error).message)
      }
    })

  return { fill, read, sign }
}
