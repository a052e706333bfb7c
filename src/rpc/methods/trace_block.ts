import { flatTrace } from '../../codec/flatTrace.ts'
import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { blockRef } from '../params/params.ts'
import { withUnit } from '../params/withUnit.ts'
import { flatTracesOf, tracesOfBlock } from './recordedTraces.ts'

export const trace_block = defineMethod({
  params: [withUnit(blockRef)],
  result: schemas.nullable(schemas.listOf(flatTrace)),
  summary:
    'the calls of all transactions of a block, from the internal transactions of the node; null when the block does not exist',
  async handler(context, [{ unit, value }], call) {
    const traced = await tracesOfBlock(value, unit, context, call)
    return traced?.flatMap(flatTracesOf) ?? null
  },
})
