import { InvalidParamsError } from '../../lib/errors.ts'
import { defineMethod, schemas } from '../method.ts'
import { logFilter } from '../params/filterParam.ts'
import { ownerOf } from '../request.ts'

export const eth_newFilter = defineMethod({
  params: [logFilter],
  result: schemas.quantity,
  summary: 'creates a log filter; changes start now, `eth_getFilterLogs` returns the whole range',
  handler({ filters }, [filter], call) {
    if ('blockHash' in filter)
      throw new InvalidParamsError(
        0,
        'a filter needs a range of blocks; use eth_getLogs for one block',
      )
    return filters.createLogs(ownerOf(call), filter)
  },
})
