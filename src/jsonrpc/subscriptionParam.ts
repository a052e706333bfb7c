import { type BlockTag } from '../codec/blockRef.ts'
import { type LogFilter, logFilter } from './filterParam.ts'
import { blockNumberOrTag, isObject, maybe, member, type Param, show } from './params.ts'

/** What can be subscribed to. */
export type SubscriptionKind = 'newHeads' | 'logs' | 'newPendingTransactions' | 'syncing'

const KINDS: readonly string[] = ['newHeads', 'logs', 'newPendingTransactions', 'syncing']

/** The second parameter of `eth_subscribe`, whose shape depends on the first. */
export type SubscriptionOptions = { filter: LogFilter; fromBlock: number | BlockTag | undefined }

/** The id of a filter or a subscription: any text, so that an unknown one is not found rather than malformed. */
export const filterId: Param<string> = (input) => {
  if (typeof input === 'string') return input
  throw new Error(`expected the id of a filter or subscription, got ${show(input)}`)
}

/** The first parameter of `eth_subscribe`. */
export const subscriptionKind: Param<SubscriptionKind> = (input) => {
  if (typeof input === 'string' && KINDS.includes(input)) return input as SubscriptionKind
  throw new Error(`expected one of ${KINDS.join(', ')}, got ${show(input)}`)
}

/** A log filter, of which heads only use `fromBlock`. */
export const subscriptionOptions: Param<SubscriptionOptions> = (input) => {
  if (input === undefined || input === null || input === false)
    return { filter: logFilter({}), fromBlock: undefined }
  if (!isObject(input)) throw new Error(`expected an object, got ${show(input)}`)
  const filter = logFilter(input)
  if ('blockHash' in filter) throw new Error('a subscription has no blockHash')
  const toBlock = filter.toBlock ?? 'latest'
  if (toBlock !== 'latest' && toBlock !== 'pending')
    throw new Error('a subscription has no end: toBlock may only be latest')
  return { filter, fromBlock: member(input, 'fromBlock', maybe(blockNumberOrTag)) }
}
