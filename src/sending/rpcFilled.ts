import type { Address, Hash, Hex } from 'viem'
import { numberToHex, serializeTransaction } from 'viem/utils'

import type { Unit } from '../codec/unit.ts'

/** The fee fields of a transaction: `gasPrice`, or `maxFeePerGas` and a tip. */
export type FeeKind = 'legacy' | 'eip1559'

/** An unsigned transaction with all its fields. Amounts in sun. */
export type FilledTransaction = {
  to?: Address
  from: Address
  value: bigint
  data: Hex
  gas: bigint
  /** Maximum price of one unit of energy. */
  gasPrice: bigint
  feeKind: FeeKind
  nonce: number
}

/** A filled transaction in the format of a pending Ethereum transaction without a signature. */
export function rpcFilled(transaction: FilledTransaction, chainId: number, hash: Hash) {
  const { data, feeKind, from, gas, gasPrice, nonce, to, value } = transaction
  const price = numberToHex(gasPrice)
  const fees =
    feeKind === 'legacy'
      ? { type: '0x0', gasPrice: price, maxPriorityFeePerGas: null, maxFeePerGas: null }
      : { type: '0x2', gasPrice: null, maxPriorityFeePerGas: '0x0', maxFeePerGas: price }
  return {
    ...fees,
    chainId: numberToHex(chainId),
    nonce: numberToHex(nonce),
    from,
    to: to ?? null,
    gas: numberToHex(gas),
    value: numberToHex(value),
    input: data,
    v: '0x0',
    r: '0x0',
    s: '0x0',
    hash,
  } as const
}

/** The bytes that an Ethereum wallet would sign for a filled transaction, with amounts in the unit of its endpoint. */
export function unsignedBytes(transaction: FilledTransaction, chainId: number, unit: Unit): Hex {
  const { data, feeKind, gas, nonce, to } = transaction
  const price = unit.fromSun(transaction.gasPrice)
  const value = unit.fromSun(transaction.value)
  const common = { chainId, data, gas, nonce, ...(to && { to }), value }
  return feeKind === 'legacy'
    ? serializeTransaction({ ...common, gasPrice: price, type: feeKind })
    : serializeTransaction({
        ...common,
        maxFeePerGas: price,
        maxPriorityFeePerGas: 0n,
        type: feeKind,
      })
}
