import { type FlatTrace, flatTrace, flatTraces } from '../../codec/flatTrace.ts'
import { isSelected } from '../../codec/traceSelection.ts'
import { RpcError } from '../../lib/errors.ts'
import { replacedError, TRACE_TIME } from '../execution/execution.ts'
import { defineMethod, schemas } from '../method.ts'
import { MAX_TRACED_BLOCKS, traceFilter } from '../params/traceFilterParam.ts'

export const trace_filter = defineMethod({
  params: [traceFilter],
  result: schemas.listOf(flatTrace),
  summary: `the traces of a range of at most ${MAX_TRACED_BLOCKS} blocks that concern given accounts`,
  async handler({ chain, execution }, [filter], call) {
    const { from, to } = await chain.range(filter.fromBlock, filter.toBlock, call)
    if (to - from >= MAX_TRACED_BLOCKS)
      throw new RpcError(-32602, `exceed max block range: ${MAX_TRACED_BLOCKS}`)
    const { after, count, unit } = filter
    const end = performance.now() + TRACE_TIME
    const last = await chain.resolve(to, call)
    const found: FlatTrace[] = []
    for (let number = from; number <= to && found.length < after + count; number++) {
      const traced = await execution.framesOfBlock(number, { end, call, unit })
      if (!traced) throw replacedError()
      const traces = traced.flatMap(({ frame, place }) => flatTraces(frame, place))
      found.push(...traces.filter((trace) => isSelected(trace, filter)))
    }
    // No answer mixes two branches.
    if ((await chain.resolve(to, call))?.hash !== last?.hash) throw replacedError()
    return found.slice(after, after + count)
  },
})
