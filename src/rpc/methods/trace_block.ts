import { flatTrace, flatTraces } from '../../codec/flatTrace.ts'
import { defineMethod, schemas } from '../method.ts'
import { blockRef, withUnit } from '../params/params.ts'

export const trace_block = defineMethod({
  params: [withUnit(blockRef)],
  result: schemas.nullable(schemas.listOf(flatTrace)),
  summary: 'trace_transaction for all transactions of a block; null when the block does not exist',
  async handler({ execution }, [{ unit, value }], call) {
    const traced = await execution.framesOfBlock(value, { call, unit })
    return traced?.flatMap(({ frame, place }) => flatTraces(frame, place)) ?? null
  },
})
