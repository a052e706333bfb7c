import type { AccessList, Hex } from 'viem'

import { transactionGas } from '../../codec/intrinsicGas.ts'
import { EthereumError } from '../state/errors.ts'
import { type Hardfork, hasRulesOf } from '../state/hardforks.ts'
import type { VmResult } from '../vm/run.ts'

/** Gas of an account and of a slot of an access list (EIP-2930). */
const LISTED_ACCOUNT = 2_400n
const LISTED_SLOT = 1_900n
/** Gas of an authorization, and the part that comes back if the account exists already (EIP-7702). */
const AUTHORIZATION = 25_000n
const EXISTING_AUTHORITY = 12_500n

/** A message as far as it decides its gas. */
export type PricedMessage = {
  /** If absent, `data` is creation code. */
  to?: string | undefined
  /** Hex without `0x`. */
  data: string
  gas: bigint
  accessList?: AccessList | undefined
  authorizations?: readonly unknown[] | undefined
}

/** What a message pays besides its operations. */
export type MessageGas = {
  /** Paid before the message runs. */
  intrinsic: bigint
  /** The least that the whole message pays. */
  floor: bigint
}

/**
 * The gas of a message besides its operations, by the rules of a hardfork.
 *
 * @throws EthereumError with geth's message when the gas limit is lower.
 */
export function messageGas(hardfork: Hardfork, message: PricedMessage): MessageGas {
  const { accessList = [], authorizations = [], data, gas, to } = message
  const { charged, floor } = transactionGas(
    { data: `0x${data}` satisfies Hex, to },
    {
      hasFloor: hasRulesOf(hardfork, 'prague'),
      pricesWords: hasRulesOf(hardfork, 'shanghai'),
    },
  )
  const slots = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
  const intrinsic =
    charged +
    LISTED_ACCOUNT * BigInt(accessList.length) +
    LISTED_SLOT * BigInt(slots) +
    AUTHORIZATION * BigInt(authorizations.length)
  const least = intrinsic > floor ? intrinsic : floor
  if (gas < least)
    throw new EthereumError(`intrinsic gas too low: gas ${gas}, minimum needed ${least}`)
  return { intrinsic, floor }
}

/**
 * The result of a run with the gas of the whole message: intrinsic gas added, refunds deducted.
 *
 * @param existing - Number of authorizations of accounts that existed before.
 */
export function withMessageGas(
  result: VmResult,
  { floor, intrinsic }: MessageGas,
  { existing, hardfork }: { existing: number; hardfork: Hardfork },
): VmResult {
  const used = intrinsic + result.energyUsed
  // The greatest share of the gas that refunds give back (EIP-3529).
  const most = used / (hasRulesOf(hardfork, 'london') ? 5n : 2n)
  const refund = result.refund + EXISTING_AUTHORITY * BigInt(existing)
  const paid = used - (refund < most ? refund : most)
  return {
    ...result,
    energyUsed: paid > floor ? paid : floor,
    energyNeeded: used > floor ? used : floor,
  }
}
