import { flatTrace, flatTraces } from '../../codec/flatTrace.ts'
import { defineMethod, schemas } from '../method.ts'
import { hash, named, withUnit } from '../params/params.ts'

export const trace_transaction = defineMethod({
  params: [withUnit(named('transactionHash', hash))],
  result: schemas.nullable(schemas.listOf(flatTrace)),
  summary:
    'calls, creations and destructions of a transaction as a list, of a node from its internal transactions; null when it is not in a block',
  async handler({ execution }, [{ unit, value }], call) {
    const traced = await execution.frames(value, { call, unit })
    return traced ? flatTraces(traced.frame, traced.place) : null
  },
})
