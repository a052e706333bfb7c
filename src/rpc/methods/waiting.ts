import type { Address, Hash } from 'viem'

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

/** The transactions that wait for a block only, with amounts in the client's unit. @throws LimitExceededError */
export async function waitingTransactions(
  context: Context,
  unit: Unit,
  call: Call,
): Promise<RpcTransaction[]> {
  const waiting = await context.execution.waiting(call)
  return transactionsOf(
    waiting.hashes.filter((hash) => !waiting.isQueued(hash)),
    unit,
    context,
    call,
  )
}

/** The mempool as geth lists it: `queued` are those that wait for others of their sender. @throws LimitExceededError */
export async function waitingLists(
  context: Context,
  unit: Unit,
  call: Call,
): Promise<{ pending: Waiting; queued: Waiting }> {
  const waiting = await context.execution.waiting(call)
  const all = await transactionsOf(waiting.hashes, unit, context, call)
  return {
    pending: byNonce(all.filter(({ hash }) => !waiting.isQueued(hash))),
    queued: byNonce(all.filter(({ hash }) => waiting.isQueued(hash))),
  }
}

async function transactionsOf(
  hashes: readonly Hash[],
  unit: Unit,
  { chain, sending }: Context,
  call: Call,
): Promise<RpcTransaction[]> {
  if (hashes.length > MAX)
    throw new LimitExceededError(`the mempool has ${hashes.length} transactions, more than ${MAX}`)
  const found = await Promise.all(
    hashes.map((hash) => transactionByHash(hash, { call, chain, sending })),
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
