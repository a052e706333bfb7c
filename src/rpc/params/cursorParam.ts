import type { CursorQuery } from '../../chain/filters/cursors.ts'
import * as schemas from '../../codec/schemas.ts'
import type { ClientCall } from '../request.ts'
import { logFilter } from './filterParam.ts'
import { limitOf } from './logPageParam.ts'
import { blockNumberOrTag, maybe, member, objectOf, type Param, text } from './params.ts'

/** Names end up in a hash, so any text is safe; the length is limited like that of other ids. */
const MAX_NAME = 200

/** The parameter of `ethgate_openCursor`. */
export const openCursorParam: Param<{ name: string; query: CursorQuery }> = (input, scope) => {
  const cursor = objectOf(['name', 'filter', 'from'], input)
  const filter = member(cursor, 'filter', (value) =>
    logFilter(objectOf(['address', 'topics'], value ?? {}), scope),
  )
  return {
    name: member(cursor, 'name', cursorName),
    query: {
      addresses: filter.addresses,
      topics: filter.topics,
      from: member(cursor, 'from', maybe(blockNumberOrTag)),
    },
  }
}
openCursorParam.doc = {
  name: 'cursor',
  schema: schemas.object(
    {
      name: schemas.text,
      filter: {
        title: 'address and topics',
        ...schemas.object(
          {
            address: { anyOf: [schemas.address, schemas.listOf(schemas.address)] },
            topics: schemas.listOf({}),
          },
          ['address', 'topics'],
        ),
      },
      from: blockNumberOrTag.doc?.schema ?? {},
    },
    ['filter', 'from'],
  ),
}

/** The parameter of `ethgate_next`. */
export const nextPageParam: Param<{ name: string; limit?: number }> = (input) => {
  const page = objectOf(['name', 'limit'], input)
  const limit = member(page, 'limit', maybe(limitOf))
  return { name: member(page, 'name', cursorName), ...(limit !== undefined && { limit }) }
}
nextPageParam.doc = {
  name: 'page',
  schema: schemas.object({ name: schemas.text, limit: { type: 'integer', minimum: 1 } }, ['limit']),
}

/** The parameter of `ethgate_ack`. */
export const acknowledgeParam: Param<{ name: string; cursor: string }> = (input) => {
  const page = objectOf(['name', 'cursor'], input)
  return { name: member(page, 'name', cursorName), cursor: member(page, 'cursor', text) }
}
acknowledgeParam.doc = {
  name: 'page',
  schema: schemas.object({ name: schemas.text, cursor: schemas.text }),
}

/** The parameter of `ethgate_closeCursor`. */
export const closeCursorParam: Param<{ name: string }> = (input) => ({
  name: member(objectOf(['name'], input), 'name', cursorName),
})
closeCursorParam.doc = { name: 'cursor', schema: schemas.object({ name: schemas.text }) }

/** Who owns the cursors of a request. */
export function cursorOwnerOf({ caller, client }: ClientCall) {
  return { client, most: caller?.limits.filters, key: caller?.key?.name }
}

function cursorName(input: unknown): string {
  const name = text(input)
  if (name.length > 0 && name.length <= MAX_NAME) return name
  throw new Error(`expected a name of 1 to ${MAX_NAME} characters`)
}
