import { defineMethod, schemas } from '../method.ts'
import { cursorName, cursorOwnerOf } from '../params/cursorParam.ts'
import { objectParam, text } from '../params/params.ts'

export const ethgate_ack = defineMethod({
  params: [objectParam('page', { name: cursorName, cursor: text })],
  result: schemas.boolean,
  summary:
    'the page of a named cursor was processed: {name, cursor}; false when it is not the page that was answered last',
  handler: ({ cursors }, [{ cursor, name }], call) =>
    cursors.acknowledge(cursorOwnerOf(call), name, cursor),
})
