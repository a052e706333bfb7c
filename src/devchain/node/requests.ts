import { toNativeAddress, ZERO_ADDRESS } from '../../lib/address.ts'
import type { CallRequest } from '../../rpc/params/callParam.ts'
import { type Param, PLAIN, present, quantity } from '../../rpc/params/params.ts'
import { type EthereumCall, readAuthorizations } from '../index.ts'

/** A call as the chain runs it. @param mostGas - a call that asks for more gets this much, as in geth */
export function toEthereumCall(request: CallRequest, mostGas?: bigint): EthereumCall {
  const { accessList, authorizationList, chainId, data, from, gas, gasPrice, nonce, to } = request
  return {
    from: toNativeAddress(from ?? ZERO_ADDRESS),
    data: data.slice(2),
    value: request.value,
    ...(from === undefined && { isFunded: true }),
    ...present({
      to: to && toNativeAddress(to),
      gas: gas !== undefined && mostGas !== undefined && gas > mostGas ? mostGas : gas,
      gasPrice,
      maxPrice: gasPrice ?? request.maxFeePerGas,
      tip: request.maxPriorityFeePerGas,
      nonce,
      accessList,
      chainId,
      authorizations: authorizationList && readAuthorizations(authorizationList),
      authorizationList,
    }),
  }
}

/** Maximum number of blocks that one call stores or returns, because other calls wait for it. */
export const MAX_MINED_BLOCKS = 100_000n

/** An integer below 2^256: a JSON number, a hex quantity, or decimal text, which tools send for seconds and coins. */
export const amount: Param<bigint> = (input) =>
  typeof input === 'string' && /^\d{1,78}$/.test(input) ? word256(BigInt(input)) : quantity(input)

/** An amount of coins in the client's unit. Returns sun, or the smallest unit of the chain. */
export const coins: Param<bigint> = (input, { unit } = PLAIN) => unit.toSun(amount(input))

function word256(value: bigint): bigint {
  if (value < 2n ** 256n) return value
  throw new Error(`expected less than 2^256, got ${value}`)
}
