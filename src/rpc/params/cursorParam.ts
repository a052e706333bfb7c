import type { LogMatch } from '../../chain/blocks/chainTypes.ts'
import * as schemas from '../../codec/schemas.ts'
import type { ClientCall } from '../request.ts'
import { logFilter } from './filterParam.ts'
import { objectOf, type Param, text } from './params.ts'

/** Names end up in a hash, so any text is safe; the length is limited like that of other ids. */
const MAX_NAME = 200

/** The name of a cursor. */
export const cursorName: Param<string> = (input) => {
  const name = text(input)
  if (name.length > 0 && name.length <= MAX_NAME) return name
  throw new Error(`expected a name of 1 to ${MAX_NAME} characters`)
}
cursorName.doc = { name: 'name', schema: schemas.text }

/** What the logs of a cursor match: a filter without blocks. */
export const cursorFilter: Param<LogMatch> = (input, scope) => {
  const { addresses, topics } = logFilter(objectOf(['address', 'topics'], input), scope)
  return { addresses, topics }
}
const { address = {}, topics = {} } = logFilter.doc?.schema.properties ?? {}
cursorFilter.doc = {
  name: 'filter',
  schema: {
    title: 'address and topics',
    ...schemas.object({ address, topics }, ['address', 'topics']),
  },
}

/** Who owns the cursors of a request. */
export function cursorOwnerOf({ caller, client }: ClientCall) {
  return { client, most: caller?.limits.filters, key: caller?.key?.name }
}
