import type { HistoryQuery } from '../../chain/blocks/chainTypes.ts'
import { parseCursor } from '../../chain/logs/logsAfter.ts'
import { type Kind, KINDS } from '../../codec/accounts.ts'
import * as schemas from '../../codec/schemas.ts'
import { rowLimit } from './logPageParam.ts'
import { address, blockNumberOrTag, maybe, objectParam, type Param, show } from './params.ts'

/** The part of a history that a client requests. */
type HistoryRequest = Omit<HistoryQuery, 'limit'> & { limit: number | undefined }

const names = Object.keys(KINDS) as Kind[]

/** The sum of one or several kinds. */
const kindSum: Param<number> = (input) => {
  let sum = 0
  for (const name of Array.isArray(input) ? (input as unknown[]) : [input]) {
    if (!names.includes(name as Kind))
      throw new Error(`expected one of ${names.join(', ')}, got ${show(name)}`)
    sum |= KINDS[name as Kind]
  }
  return sum
}
const kind = { enum: names }
kindSum.doc = { name: 'kind', schema: { oneOf: [kind, schemas.listOf(kind)] } }

/** A position of an earlier answer, or a block number. */
const bound: Param<NonNullable<HistoryQuery['bound']>> = (input) => {
  if (typeof input === 'string' && input.length > 66) return parseCursor(input)
  const number = blockNumberOrTag(input)
  if (typeof number === 'number') return { number }
  throw new Error(`expected a position of an earlier answer or a block number, got ${show(input)}`)
}
bound.doc = { name: 'position', schema: { oneOf: [schemas.bytes, schemas.quantity] } }

const query = objectParam('query', {
  address,
  kind: maybe(kindSum),
  before: maybe(bound),
  after: maybe(bound),
  limit: maybe(rowLimit),
})

/** The parameter of `ethgate_getTransactions`. */
export const historyParam: Param<HistoryRequest> = (input) => {
  const { address: account, after, before, kind: kinds = 0, limit } = query(input)
  if (before && after) throw new Error('expected before or after, got both')
  return {
    account: account.slice(2).toLowerCase(),
    kinds,
    list: 'concerns',
    limit,
    order: after ? 'oldest' : 'newest',
    bound: before ?? after,
  }
}
if (query.doc) historyParam.doc = query.doc
