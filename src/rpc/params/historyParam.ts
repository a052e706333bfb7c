import type { HistoryQuery } from '../../chain/blocks/chainTypes.ts'
import { parseCursor } from '../../chain/logs/logsAfter.ts'
import { type Kind, KINDS } from '../../codec/accounts.ts'
import * as schemas from '../../codec/schemas.ts'
import { limitOf } from './logPageParam.ts'
import { address, blockNumberOrTag, maybe, member, objectOf, type Param, show } from './params.ts'

/** The part of a history that a client requests. */
type HistoryRequest = Omit<HistoryQuery, 'limit'> & { limit: number | undefined }

const names = Object.keys(KINDS) as Kind[]

/** A position of an earlier answer, or a block number. */
const position = { oneOf: [schemas.bytes, schemas.quantity] }
const kind = { enum: names }

/** The parameter of `ethgate_getTransactions`. */
export const historyParam: Param<HistoryRequest> = (input) => {
  const query = objectOf(['address', 'kind', 'before', 'after', 'limit'], input)
  const account = member(query, 'address', address)
  const kinds = member(query, 'kind', maybe(kindsOf)) ?? 0
  const before = member(query, 'before', maybe(boundOf))
  const after = member(query, 'after', maybe(boundOf))
  if (before && after) throw new Error('expected before or after, got both')
  return {
    account: account.slice(2).toLowerCase(),
    kinds,
    list: 'concerns',
    limit: member(query, 'limit', maybe(limitOf)),
    order: after ? 'oldest' : 'newest',
    bound: before ?? after,
  }
}
historyParam.doc = {
  name: 'query',
  schema: schemas.object(
    {
      address: schemas.address,
      kind: { oneOf: [kind, schemas.listOf(kind)] },
      before: position,
      after: position,
      limit: { type: 'integer', minimum: 1 },
    },
    ['kind', 'before', 'after', 'limit'],
  ),
}

function kindsOf(input: unknown): number {
  let sum = 0
  for (const name of Array.isArray(input) ? (input as unknown[]) : [input]) {
    if (!names.includes(name as Kind))
      throw new Error(`expected one of ${names.join(', ')}, got ${show(name)}`)
    sum |= KINDS[name as Kind]
  }
  return sum
}

function boundOf(input: unknown): NonNullable<HistoryQuery['bound']> {
  if (typeof input === 'string' && input.length > 66) return parseCursor(input)
  const number = blockNumberOrTag(input)
  if (typeof number === 'number') return { number }
  throw new Error(`expected a position of an earlier answer or a block number, got ${show(input)}`)
}
