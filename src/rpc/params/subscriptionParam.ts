import type { Hash } from 'viem'

import type { BlockTag } from '../../codec/blockRef.ts'
import * as schemas from '../../codec/schemas.ts'
import type { Unit } from '../../codec/unit.ts'
import { logFilter } from './filterParam.ts'
import type { LogRangeFilter } from './logPageParam.ts'
import {
  blockNumberOrTag,
  hash,
  maybe,
  member,
  objectParam,
  type Param,
  PLAIN,
  present,
  show,
} from './params.ts'

/** Kinds of subscriptions. */
export type SubscriptionKind = (typeof KINDS)[number]

const KINDS = [
  'newHeads',
  'logs',
  'newPendingTransactions',
  'syncing',
  'transactionStatus',
] as const

/** The first block of a subscription; the next block when absent. */
export type ResumeOptions = { resumeFrom?: number | BlockTag }

/** The second parameter of `eth_subscribe`: the filter of `logs`, the options of `newHeads`, the hash of `transactionStatus`. */
export type SubscriptionArgument = {
  filter: LogRangeFilter
  /** Whether `newPendingTransactions` delivers whole transactions. */
  isFull?: boolean
  /** The transaction of `transactionStatus`. */
  transaction?: Hash
  options: ResumeOptions
  /** The unit in which headers show their base fee. */
  unit: Unit
}

const RESUME = {
  title: 'resume options',
  ...schemas.object({ resumeFrom: blockNumberOrTag.doc?.schema ?? {} }, ['resumeFrom']),
}

/** Characters of an id: `0x` and 32 digits. */
const ID_LENGTH = 34

/**
 * The id of a filter or a subscription. Any text is valid, so the error for an unknown id is "not found". A longer text is cut: it
 * is no id either, and stores get no text of a megabyte as a key.
 */
export const filterId: Param<string> = (input) => {
  if (typeof input === 'string') return input.slice(0, ID_LENGTH + 1)
  throw new Error(`expected the id of a filter or subscription, got ${show(input)}`)
}
filterId.doc = { name: 'id', schema: schemas.text }

/** The first parameter of `eth_subscribe`. */
export const subscriptionKind: Param<SubscriptionKind> = (input) => {
  const kind = KINDS.find((known) => known === input)
  if (kind) return kind
  throw new Error(`expected one of ${KINDS.join(', ')}, got ${show(input)}`)
}
subscriptionKind.doc = { name: 'kind', schema: { enum: KINDS } }

type Json = Record<string, unknown>

const EVERYTHING = { addresses: [], topics: [] }

/** The second parameter of `eth_subscribe`. With `newPendingTransactions`, clients send `true` to get whole transactions. */
export const subscriptionArgument: Param<SubscriptionArgument> = (input, scope = PLAIN) => {
  const { unit } = scope
  if (input === undefined || input === null || input === false)
    return { filter: EVERYTHING, options: {}, unit }
  if (typeof input === 'string')
    return { filter: EVERYTHING, options: {}, transaction: hash(input), unit }
  if (input === true) return { filter: EVERYTHING, isFull: true, options: {}, unit }
  const filter = logFilter(input, scope)
  if ('blockHash' in filter) throw new Error('a subscription cannot have a blockHash')
  // The filter may have members that only other nodes know.
  const resumeFrom = member(input as Json, 'resumeFrom', maybe(blockNumberOrTag))
  return { filter, options: present({ resumeFrom }), unit }
}
subscriptionArgument.doc = {
  name: 'filter',
  required: false,
  schema: {
    anyOf: [logFilter.doc?.schema ?? {}, RESUME, schemas.hash, schemas.boolean, { type: 'null' }],
  },
}

const options = objectParam('options', { resumeFrom: maybe(blockNumberOrTag) })

/** The third parameter of `eth_subscribe`: options of the gateway, which clients do not send by default. */
export const resumeOptions: Param<ResumeOptions> = (input) => present(options(input ?? {}))
resumeOptions.doc = { name: 'options', required: false, schema: RESUME }
