import { preparedObject } from '../../lib/prepared.ts'
import { defineMethod, schemas } from '../method.ts'
import { cursorName, cursorOwnerOf } from '../params/cursorParam.ts'
import { rowLimit } from '../params/logPageParam.ts'
import { maybe, objectParam } from '../params/params.ts'

/** Default number of logs of a page. */
const LIMIT = 1_000

export const ethgate_next = defineMethod({
  params: [objectParam('page', { name: cursorName, limit: maybe(rowLimit) })],
  result: schemas.object({ cursor: schemas.text, logs: schemas.listOf(schemas.log) }),
  summary: 'the next page of a named cursor, the same one until `ethgate_ack`: {name, limit}',
  async handler({ config, cursors }, [{ limit = LIMIT, name }], call) {
    const { cursor, logs } = await cursors.next(cursorOwnerOf(call), name, {
      limit: Math.min(limit, config.logsMaxResults),
      call,
    })
    return preparedObject({ logs, cursor })
  },
})
