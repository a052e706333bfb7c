import type { Address } from 'viem'

import { amountsIn, inUnit } from '../../codec/amounts.ts'
import * as schemas from '../../codec/schemas.ts'
import type { RpcTransaction } from '../../codec/types.ts'
import type { Unit } from '../../codec/unit.ts'
import type { Call } from '../../lib/call.ts'
import { LimitExceededError } from '../../lib/errors.ts'
import { transactionByHash } from '../../sending/alias.ts'
import type { Context } from '../context.ts'

/** Transactions of a mempool by sender, then by nonce in decimal. */
export type Waiting = Record<Address, Record<string, RpcTransaction>>

/** Schema of `Waiting` with the schema of one transaction. */
export const waitingOf = (transaction: object) => ({
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: transaction },
})

/** Maximum number of transactions in one answer. Each costs a call to the node. */
const MAX = 1_000

const AMOUNTS = amountsIn(schemas.transaction) ?? {}

/**
 * The transactions in the mempool, with amounts in the client's unit.
 *
 * @param ids - those to show, as hex without `0x` @default those that the node lists
 * @throws LimitExceededError
 */
export async function waitingTransactions(
  { chain, native, sending }: Context,
  unit: Unit,
  call: Call,
  ids?: readonly string[],
): Promise<RpcTransaction[]> {
  const txId =
    ids ?? (await native.wallet.getTransactionListFromPending(undefined, call)).txId ?? []
  if (txId.length > MAX)
    throw new LimitExceededError(`the mempool has ${txId.length} transactions, more than ${MAX}`)
  const found = await Promise.all(
    txId.map((id) => transactionByHash(`0x${id}`, { call, chain, sending })),
  )
  return found
    .filter((transaction) => transaction !== undefined && transaction.blockHash === null)
    .map((transaction) => inUnit(AMOUNTS, transaction, unit) as RpcTransaction)
}

/**
 * Groups transactions as `txpool_content` lists them. Natively signed transactions have no nonce and would all have the same
 * key, so a transaction whose key is taken gets the next lower free key.
 */
export function byNonce(transactions: readonly RpcTransaction[]): Waiting {
  const waiting: Waiting = {}
  for (const transaction of transactions) {
    const own = (waiting[transaction.from] ??= {})
    let key = BigInt(transaction.nonce)
    while (String(key) in own) key--
    own[String(key)] = transaction
  }
  return waiting
}

/** One line about a transaction, in geth's format. Amounts are in the client's smallest unit. */
function inspect({ gas, gasPrice, to, value }: RpcTransaction): string {
  const [amount, limit, price] = [BigInt(value), BigInt(gas), BigInt(gasPrice)]
  return `${to ?? 'contract creation'}: ${amount} wei + ${limit} gas × ${price} wei`
}

/** The same lists with a line for each transaction. */
export function inspected(waiting: Waiting): Record<Address, Record<string, string>> {
  return Object.fromEntries(
    Object.entries(waiting).map(([from, own]) => [
      from,
      Object.fromEntries(Object.entries(own).map(([nonce, item]) => [nonce, inspect(item)])),
    ]),
  )
}
