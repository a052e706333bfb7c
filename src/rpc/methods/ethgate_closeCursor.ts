import { defineMethod, schemas } from '../method.ts'
import { cursorName, cursorOwnerOf } from '../params/cursorParam.ts'
import { objectParam } from '../params/params.ts'

export const ethgate_closeCursor = defineMethod({
  params: [objectParam('cursor', { name: cursorName })],
  result: schemas.boolean,
  summary: 'removes a named cursor: {name}',
  handler: ({ cursors }, [{ name }], call) => cursors.close(cursorOwnerOf(call), name),
})
