import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { closeCursorParam, cursorOwnerOf } from '../params/cursorParam.ts'

export const ethgate_closeCursor = defineMethod({
  params: [closeCursorParam],
  result: schemas.boolean,
  summary: 'removes a named cursor: {name}',
  handler: ({ cursors }, [{ name }], call) => cursors.close(cursorOwnerOf(call), name),
})
