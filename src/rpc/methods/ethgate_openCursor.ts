import { MethodNotSupportedError } from '../../lib/errors.ts'
import { defineMethod, schemas } from '../method.ts'
import { cursorFilter, cursorName, cursorOwnerOf } from '../params/cursorParam.ts'
import { blockNumberOrTag, maybe, objectParam, optional } from '../params/params.ts'

export const ethgate_openCursor = defineMethod({
  params: [
    objectParam('cursor', {
      name: cursorName,
      filter: optional(cursorFilter, { addresses: [], topics: [] }),
      from: maybe(blockNumberOrTag),
    }),
  ],
  result: schemas.object({ cursor: schemas.text, created: schemas.boolean }),
  summary: 'creates a named cursor over logs from any block, or finds it: {name, filter, from}',
  handler({ config, cursors }, [{ filter, from, name }], call) {
    const owner = cursorOwnerOf(call)
    // A cursor takes space for weeks, which strangers beside known callers must not use up.
    if (config.apiKeys !== undefined && call.caller && owner.key === undefined)
      throw new MethodNotSupportedError('ethgate_openCursor', 'it needs an API key here')
    return cursors.open(owner, name, { ...filter, from })
  },
})
