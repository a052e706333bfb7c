import { InvalidParamsError } from '../errors.ts'
import type { EthereumTransaction } from '../sending/ethereumTransaction.ts'
import { type FilledTransaction, unsignedBytes } from '../sending/rpcFilled.ts'

/** 1 coin is 10^6 sun, and 10^18 in the eyes of a wallet that knows 18 decimals only. */
const WEI_PER_SUN = 10n ** 12n

/** Where amounts of the coin are: the value itself, by member, or (one element) in every element of a list. */
export type Shape = 'coin' | { readonly [member: string]: Shape } | readonly [Shape]

const prices = {
  gasPrice: 'coin',
  maxFeePerGas: 'coin',
  maxPriorityFeePerGas: 'coin',
} as const satisfies Shape

const transaction = { ...prices, value: 'coin' } as const satisfies Shape
const block = { baseFeePerGas: 'coin', transactions: [transaction] } as const satisfies Shape
const receipt = { effectiveGasPrice: 'coin' } as const satisfies Shape
const filled = { tx: transaction } as const satisfies Shape

/**
 * Every amount of the coin in the parameters and results of every method. Gas, logs, call data and what contracts see
 * are not among them; nor is a native transaction, whose bytes say sun.
 */
export const coinAmounts: Readonly<Record<string, { params?: readonly Shape[]; result?: Shape }>> =
  {
    // The prices of a call are read by nobody.
    eth_call: { params: [{ value: 'coin' }] },
    eth_estimateGas: { params: [{ value: 'coin' }] },
    buildTransaction: { params: [{ value: 'coin' }] },
    eth_sendTransaction: { params: [transaction] },
    eth_signTransaction: { params: [transaction], result: filled },
    eth_fillTransaction: { params: [transaction], result: filled },

    eth_getBalance: { result: 'coin' },
    eth_baseFee: { result: 'coin' },
    eth_gasPrice: { result: 'coin' },
    eth_maxPriorityFeePerGas: { result: 'coin' },
    eth_feeHistory: { result: { baseFeePerGas: ['coin'], reward: [['coin']] } },

    eth_getBlockByHash: { result: block },
    eth_getBlockByNumber: { result: block },
    eth_getTransactionByHash: { result: transaction },
    eth_getTransactionByBlockHashAndIndex: { result: transaction },
    eth_getTransactionByBlockNumberAndIndex: { result: transaction },
    eth_getTransactionReceipt: { result: receipt },
    eth_getBlockReceipts: { result: [receipt] },
  }

/**
 * Sun of an amount in wei.
 *
 * @throws Error when there is a remainder: an amount that was rounded would be another amount than the one asked for.
 */
export function toSun(wei: bigint): bigint {
  if (wei % WEI_PER_SUN === 0n) return wei / WEI_PER_SUN
  throw new Error(`expected a multiple of 10^12 (the smallest unit of the coin), got ${wei}`)
}

/** Wei of an amount in sun. */
export const toWei = (sun: bigint): bigint => sun * WEI_PER_SUN

/**
 * Changes the amounts in a JSON value, quantities in hex or as numbers; everything else stays as it is.
 *
 * @throws Error naming the member whose amount cannot be changed.
 */
export function scale(shape: Shape, value: unknown, change: (amount: bigint) => bigint): unknown {
  if (shape === 'coin') return isQuantity(value) ? toHex(change(BigInt(value))) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(shape)) {
    const [element] = shape as readonly [Shape]
    return Array.isArray(value) ? value.map((item) => scale(element, item, change)) : value
  }
  const scaled: Record<string, unknown> = { ...value }
  for (const [member, inner] of Object.entries(shape)) {
    if (!(member in scaled)) continue
    try {
      scaled[member] = scale(inner, scaled[member], change)
    } catch (error) {
      throw new Error(`${member}: ${(error as Error).message}`, { cause: error })
    }
  }
  return scaled
}

/** The amounts of a transaction that was signed in wei, in sun. @throws InvalidParamsError as `toSun` */
export function fromSigned(signed: EthereumTransaction): EthereumTransaction {
  try {
    return { ...signed, gasPrice: toSun(signed.gasPrice), value: toSun(signed.value) }
  } catch (cause) {
    throw new InvalidParamsError(0, (cause as Error).message)
  }
}

/** A filled transaction in wei: the bytes to sign hold amounts too. */
export function unsignedInWei(transaction: FilledTransaction, chainId: number) {
  const { gasPrice, value } = transaction
  return unsignedBytes({ ...transaction, gasPrice: toWei(gasPrice), value: toWei(value) }, chainId)
}

function isQuantity(value: unknown): value is string | number {
  if (typeof value === 'string') return /^0x[\da-f]+$/i.test(value)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

const toHex = (amount: bigint) => `0x${amount.toString(16)}`
