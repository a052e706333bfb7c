import type { Address, Hash, Hex } from 'viem'
import { numberToHex, serializeTransaction } from 'viem/utils'

/** A transaction whose every field is known, before anybody signed it. Amounts in sun. */
export type FilledTransaction = {
  to?: Address
  from: Address
  value: bigint
  data: Hex
  gas: bigint
  gasPrice: bigint
  nonce: number
}

/** A filled transaction as Ethereum clients print one that is in no block: legacy, unsigned in Ethereum's sense. */
export function rpcFilled(transaction: FilledTransaction, chainId: number, hash: Hash) {
  const { data, from, gas, gasPrice, nonce, to, value } = transaction
  return {
    type: '0x0',
    chainId: numberToHex(chainId),
    nonce: numberToHex(nonce),
    from,
    to: to ?? null,
    gas: numberToHex(gas),
    gasPrice: numberToHex(gasPrice),
    maxPriorityFeePerGas: null,
    maxFeePerGas: null,
    value: numberToHex(value),
    input: data,
    v: '0x0',
    r: '0x0',
    s: '0x0',
    hash,
  } as const
}

/** The bytes that an Ethereum wallet would sign for a filled transaction. */
export function unsignedBytes(transaction: FilledTransaction, chainId: number): Hex {
  const { data, gas, gasPrice, nonce, to, value } = transaction
  return serializeTransaction({
    type: 'legacy',
    chainId,
    data,
    gas,
    gasPrice,
    nonce,
    ...(to && { to }),
    value,
  })
}
