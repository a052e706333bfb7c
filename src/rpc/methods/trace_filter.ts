import { type FlatTrace, flatTrace } from '../../codec/flatTrace.ts'
import * as schemas from '../../codec/schemas.ts'
import { isSelected } from '../../codec/traceSelection.ts'
import { RpcError } from '../../lib/errors.ts'
import { defineMethod } from '../method.ts'
import { MAX_TRACED_BLOCKS, traceFilter } from '../params/traceFilterParam.ts'
import { flatTracesOf, tracesOfBlock } from './recordedTraces.ts'

export const trace_filter = defineMethod({
  params: [traceFilter],
  result: schemas.listOf(flatTrace),
  summary: `the calls of a range of at most ${MAX_TRACED_BLOCKS} blocks that involve the given accounts, from the internal transactions of the node`,
  async handler(context, [filter], call) {
    const { chain } = context
    const { from, to } = await chain.range(filter.fromBlock, filter.toBlock, call)
    if (to - from >= MAX_TRACED_BLOCKS)
      throw new RpcError(-32602, `exceed max block range: ${MAX_TRACED_BLOCKS}`)
    const { after, count, unit } = filter
    const found: FlatTrace[] = []
    for (let number = from; number <= to && found.length < after + count; number++) {
      const traced = (await tracesOfBlock(number, unit, context, call)) ?? []
      found.push(...traced.flatMap(flatTracesOf).filter((trace) => isSelected(trace, filter)))
    }
    return found.slice(after, after + count)
  },
})
