import type { SubscriptionSpec } from '../../chain/subscriptions/hub.ts'
import type { StatusSpec } from '../../chain/subscriptions/statuses.ts'
import { amountsIn, inUnit } from '../../codec/amounts.ts'
import type { Call } from '../../lib/call.ts'
import { InvalidParamsError, MethodNotSupportedError } from '../../lib/errors.ts'
import { transactionByHash } from '../../sending/alias.ts'
import { type TransactionStatus, transactionStatus } from '../../sending/transactionStatus.ts'
import type { Context } from '../context.ts'
import { defineMethod, schemas } from '../method.ts'
import {
  type ResumeOptions,
  resumeOptions,
  type SubscriptionArgument,
  subscriptionArgument,
  type SubscriptionKind,
  subscriptionKind,
} from '../params/subscriptionParam.ts'

export const eth_subscribe = defineMethod({
  params: [subscriptionKind, subscriptionArgument, resumeOptions],
  result: schemas.quantity,
  summary:
    'newHeads, logs, newPendingTransactions (with true: whole ones), syncing or transactionStatus (of a hash) over WebSocket; `{"resumeFrom": "0x…"}` resumes heads and logs from a past block',
  handler(context, [kind, argument, options], call) {
    const { chain, subscriptions } = context
    const { socket } = call
    if (!socket)
      throw new MethodNotSupportedError('eth_subscribe', 'notifications need a WebSocket')
    if (ONLY_FULL.has(kind) && chain.view === 'solid')
      throw new MethodNotSupportedError('eth_subscribe', 'not available on the solidified view')
    if (!RESUMING.has(kind) && { ...argument.options, ...options }.resumeFrom !== undefined)
      throw new InvalidParamsError(1, 'expected no resumeFrom: only newHeads and logs resume')
    if (kind === 'transactionStatus')
      return subscriptions.subscribe(socket, call, statusSpec(argument, context, call))
    if (kind === 'newPendingTransactions')
      return subscriptions.subscribe(socket, call, pendingSpec(argument, context))
    return subscriptions.subscribe(socket, call, toSpec(kind, argument, options))
  },
})

function pendingSpec(
  { isFull, transaction, unit }: SubscriptionArgument,
  { chain, sending }: Context,
): SubscriptionSpec {
  if (transaction)
    throw new InvalidParamsError(1, 'expected an object: only transactionStatus takes a hash')
  if (!isFull) return { kind: 'newPendingTransactions' }
  return {
    kind: 'newPendingTransactions',
    async read(hash, call) {
      const found = await transactionByHash(hash, { call, chain, sending })
      return found && (inUnit(AMOUNTS, found, unit) as object)
    },
  }
}

const AMOUNTS = amountsIn(schemas.transaction) ?? {}

const RESUMING = new Set<SubscriptionKind>(['newHeads', 'logs'])

const ONLY_FULL = new Set<SubscriptionKind>(['newPendingTransactions', 'transactionStatus'])

function statusSpec(
  { transaction }: SubscriptionArgument,
  { chain, native, sending }: Context,
  call: Call,
): StatusSpec {
  if (!transaction) throw new InvalidParamsError(1, 'expected the hash of a transaction')
  return {
    kind: 'transactionStatus',
    transaction,
    async read(since, asking = call) {
      const needs = { call: asking, chain, native, sending }
      const status = await transactionStatus(transaction, needs)
      const { timestamp } = chain.solid()
      if (status.state === 'unknown' && timestamp > since + LONGEST)
        return {
          status: { ...status, evidence: `${status.evidence}; ${FORGOTTEN}` },
          isFinal: true,
        }
      return { status, isFinal: isFinal(status, timestamp) }
    },
  }
}

/** Milliseconds that an unknown transaction is waited for: the longest time from its signature to its expiration. */
const LONGEST = 24 * 60 * 60 * 1_000

const FORGOTTEN = 'no more is told after a day: subscribe again'

/** Whether a status cannot change any more. @param time - of the solidified block, in milliseconds */
function isFinal({ block, expiration, state }: TransactionStatus, time: number): boolean {
  if (state === 'expired' || block?.solidified === true) return true
  return state === 'refused' && expiration !== undefined && Number(expiration) * 1_000 <= time
}

function toSpec(
  kind: Exclude<SubscriptionKind, 'newPendingTransactions' | 'transactionStatus'>,
  argument: SubscriptionArgument,
  options: ResumeOptions,
): SubscriptionSpec {
  if (argument.isFull)
    throw new InvalidParamsError(1, 'expected an object: only newPendingTransactions takes true')
  if (argument.transaction)
    throw new InvalidParamsError(1, 'expected an object: only transactionStatus takes a hash')
  if (kind === 'newHeads') return { kind, unit: argument.unit, ...argument.options, ...options }
  if (kind !== 'logs') return { kind }
  if (argument.options.resumeFrom !== undefined)
    throw new InvalidParamsError(1, 'expected resumeFrom in a separate object after the filter')
  const { addresses, fromBlock, toBlock, topics } = argument.filter
  const from = heightOf(fromBlock)
  const to = heightOf(toBlock)
  if (from !== undefined && to !== undefined && from > to)
    throw new InvalidParamsError(1, 'invalid block range: fromBlock is above toBlock')
  return {
    kind,
    addresses,
    topics,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...options,
  }
}

/** Tags set no limit: clients send `earliest` and `latest` with every subscription. */
function heightOf(ref: number | string | undefined): number | undefined {
  return typeof ref === 'number' ? ref : undefined
}
