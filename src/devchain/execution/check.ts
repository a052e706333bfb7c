import { EthereumError } from '../state/errors.ts'
import { nonceOf } from '../state/nonce.ts'
import type { StateReader } from '../state/state.ts'
import { assertAuthorizing } from '../transactions/authorization.ts'
import type { SignedEthereum } from '../transactions/ethereumTransaction.ts'
import type { EthereumTransaction } from '../transactions/transaction.ts'
import { assertFunds, gasPriceOf } from './executeEthereum.ts'
import type { ExecutionContext } from './execution.ts'
import { messageGas, type PricedMessage } from './gas.ts'
import type { Pool } from './pool.ts'

/** Percentage by which a replacement must raise the price and the tip, as in geth and Hardhat. */
const PRICE_BUMP = 10n

/**
 * Checks a transaction for the pool. Returns the id of the transaction that it replaces, if any.
 *
 * @throws EthereumError with the message of Ethereum nodes.
 */
export function checkEthereum(
  { ethereum, id }: SignedEthereum,
  { context, pool, state }: checkEthereum.Options,
): string | undefined {
  const { from, maxPrice, nonce } = ethereum
  if (ethereum.authorizations) assertAuthorizing(context.ethereum)
  if (pool.has(id)) throw new EthereumError('already known')
  checkMessage(ethereum, { context, state })
  const waiting = pool.withNonce(from, nonce)
  if (!waiting) return undefined
  const raised = (price: bigint) => (price * (100n + PRICE_BUMP)) / 100n
  const isRaised =
    !waiting.ethereum ||
    (maxPrice >= raised(waiting.ethereum.maxPrice) &&
      // The chain itself has no tips.
      (!context.block.hardfork || tipOf(ethereum) >= raised(tipOf(waiting.ethereum))))
  if (!isRaised) throw new EthereumError('replacement transaction underpriced')
  return waiting.id
}

/** The tip of a transaction: its whole price where it names none, as in geth. */
function tipOf({ fields, maxPrice }: Pick<EthereumTransaction, 'fields' | 'maxPrice'>): bigint {
  const tip = fields['maxPriorityFeePerGas']
  return typeof tip === 'string' ? BigInt(tip) : maxPrice
}

export declare namespace checkEthereum {
  type Options = { context: ExecutionContext; pool: Pool; state: StateReader }
}

/** A transaction, or a call that is checked as one. */
export type CheckedMessage = PricedMessage & {
  from: string
  /** The most that the sender pays for a unit of gas. */
  maxPrice: bigint
  nonce: bigint
  value: bigint
}

/**
 * Checks nonce, gas, price and balance. A later nonce is allowed, because the transactions before it may come.
 *
 * @throws EthereumError with the message of Ethereum nodes.
 */
export function checkMessage(
  message: CheckedMessage,
  { context, state }: { context: MessageContext; state: StateReader },
): void {
  const { from, gas, maxPrice, nonce, value } = message
  const { hardfork } = context.block
  const next = nonceOf(state, from)
  if (nonce < next) throw new EthereumError(`nonce too low: next nonce ${next}, tx nonce ${nonce}`)
  const { fees, gasLimit } = context.ethereum
  if (gas > gasLimit) throw new EthereumError(`exceeds block gas limit: ${gas} > ${gasLimit}`)
  const price = gasPriceOf(state, context)
  if (maxPrice < price)
    throw new EthereumError(
      `max fee per gas less than block base fee: maxFeePerGas ${maxPrice}, baseFee ${price}`,
    )
  if (hardfork) messageGas(hardfork, message)
  if (fees === 'gas') assertFunds(state, from, value + gas * (hardfork ? maxPrice : price))
}

type MessageContext = Pick<ExecutionContext, 'block' | 'ethereum'>
