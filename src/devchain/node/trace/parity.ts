import type { Hash } from 'viem'

import { type FlatTrace, flatTrace, flatTraces } from '../../../codec/flatTrace.ts'
import * as schemas from '../../../codec/schemas.ts'
import { isSelected } from '../../../codec/traceSelection.ts'
import type { Unit } from '../../../codec/unit.ts'
import { RpcError } from '../../../lib/errors.ts'
import { type AnyMethod, defineMethod } from '../../../rpc/method.ts'
import { arrayOf, blockRef, hash, index, named } from '../../../rpc/params/params.ts'
import { MAX_TRACED_BLOCKS, traceFilter } from '../../../rpc/params/traceFilterParam.ts'
import { withUnit } from '../../../rpc/params/withUnit.ts'
import { createFrameTracer, printFrame, traceBlock, withoutBuiltIns } from '../../index.ts'
import type { ChainBlock, DevChain } from '../../index.ts'
import { findBlock, findPlace, ownBlock } from './places.ts'

/** Time limit of one answer, in milliseconds. */
const TIMEOUT = 20_000

const traces = schemas.listOf(flatTrace)

/** Parity's traces: the frames of a transaction as a list. */
export function parityMethods(chain: DevChain): Record<string, AnyMethod> {
  const { ledger } = chain

  async function tracesOf(
    block: ChainBlock,
    unit: Unit,
    { end = performance.now() + TIMEOUT, only }: { end?: number; only?: number } = {},
  ): Promise<FlatTrace[]> {
    if (block.header.number === 0) return []
    const create = () =>
      createFrameTracer((frame) => printFrame(withoutBuiltIns(frame), {}, unit), false)
    const options = { create, timeout: end - performance.now() }
    const traced = await traceBlock(ledger, block, options, only)
    return traced.flatMap(({ hash, index, trace }) =>
      flatTraces(trace, {
        blockHash: `0x${block.id}`,
        blockNumber: block.header.number,
        transactionHash: `0x${hash}`,
        transactionPosition: index,
      }),
    )
  }

  async function tracesOfTransaction(
    hash: Hash,
    unit: Unit,
    view: 'full' | 'solid',
  ): Promise<FlatTrace[] | null> {
    const place = findPlace(chain, hash, view)
    return place ? tracesOf(place.block, unit, { only: place.index }) : null
  }

  const trace_transaction = defineMethod({
    params: [withUnit(named('transactionHash', hash))],
    result: schemas.nullable(traces),
    summary:
      'calls, creations and destructions of a transaction as a list; null when it is not in a block',
    handler: ({ chain: { view } }, [{ unit, value }]) => tracesOfTransaction(value, unit, view),
  })

  const trace_get = defineMethod({
    params: [withUnit(named('transactionHash', hash)), named('indices', arrayOf(index))],
    result: schemas.nullable(flatTrace),
    summary: 'one trace of a transaction, by its traceAddress',
    async handler({ chain: { view } }, [{ unit, value }, path]) {
      const traces = await tracesOfTransaction(value, unit, view)
      return traces?.find(({ traceAddress }) => traceAddress.join() === path.join()) ?? null
    },
  })

  const trace_block = defineMethod({
    params: [withUnit(blockRef)],
    result: schemas.nullable(traces),
    summary: 'the traces of all transactions of a block; null when there is no such block',
    handler({ chain: { view } }, [{ unit, value }]) {
      const block = findBlock(chain, value, view)
      return block ? tracesOf(block, unit) : null
    },
  })

  const trace_filter = defineMethod({
    params: [traceFilter],
    result: traces,
    summary: `the traces of a range of at most ${MAX_TRACED_BLOCKS} blocks that concern given accounts`,
    async handler({ chain: viewed }, [filter], call) {
      const { from, to } = await viewed.range(filter.fromBlock, filter.toBlock, call)
      if (to - from >= MAX_TRACED_BLOCKS)
        throw new RpcError(-32602, `exceed max block range: ${MAX_TRACED_BLOCKS}`)
      const end = performance.now() + TIMEOUT
      const { after, count, unit } = filter
      const found: FlatTrace[] = []
      for (let number = from; number <= to && found.length < after + count; number++) {
        const block = ownBlock(chain, number)
        if (!block || block.transactions.length === 0) continue
        const all = await tracesOf(block, unit, { end })
        found.push(...all.filter((trace) => isSelected(trace, filter)))
      }
      return found.slice(after, after + count)
    },
  })

  return { trace_block, trace_filter, trace_get, trace_transaction }
}
