import { plural } from '../../codec/coin.ts'
import type { AuditedLog, BlockRange } from '../../logIndex/audit.ts'
import type { Engine } from '../../logIndex/engine/engine.ts'
import { CommandError } from '../base/errors.ts'
import type { Result } from '../output/result.ts'
import { wholeNumber } from '../text/number.ts'
import type { Task } from '../words/command.ts'
import {
  type IndexOptions,
  type NodeOptions,
  openNodeRpc,
  requireFacts,
  withIndex,
  withNode,
} from '../words/indexOptions.ts'

/** The options of `ethgate index audit`. */
export type AuditOptions = IndexOptions &
  NodeOptions & { upstreamRpc?: string; from: string; to?: string; indexRate: string }

/** Calls to the node in flight. */
const CONCURRENCY = 8

/** Milliseconds that the search for one range may take. No client waits for it. */
const DEADLINE = 600_000

/** Blocks with dropped logs that the text names. The JSON has all. */
const SHOWN = 20

/** `ethgate index audit`: reports the blocks whose logs the node's own eth_getLogs does not find. */
export async function auditIndex(task: Task<AuditOptions>): Promise<Result> {
  const { io, options } = task
  const from = wholeNumber(options.from, '--from')
  const rate = wholeNumber(options.indexRate, '--index-rate', 1)
  const rpc = await openNodeRpc(io, options)
  try {
    return await withNode(io, options, CONCURRENCY, async (native) => {
      const { createPace } = await import('../../logIndex/fill/pace.ts')
      const { createBlockReader } = await import('../../logIndex/fill/source.ts')
      const { auditSearch } = await import('../../logIndex/audit.ts')
      const pace = createPace({ concurrency: CONCURRENCY, rate })
      const reader = createBlockReader({ native, pace })
      const newest = (await native.solidity.getNowBlock()).block_header.raw_data.number ?? 0
      const to =
        options.to === undefined ? newest : Math.min(newest, wholeNumber(options.to, '--to', from))
      const receipts = async (range: BlockRange) => {
        const logs: AuditedLog[] = []
        for await (const block of reader.read(range.from, range.to))
          for (const { address, index, topics } of block.logs)
            logs.push({ block: block.number, index, address, topic: topics[0] })
        return logs
      }
      const audit = (read: (range: BlockRange) => Promise<AuditedLog[]>) =>
        auditSearch({ from, to }, { pace, read, rpc })
      const value = options.index
        ? await withIndex(io, options, async (engine) => audit(await readerOf(engine, receipts)))
        : await audit(receipts)
      const { blocks, dropped, logs, searches } = value
      const list = dropped.slice(0, SHOWN).map(({ block }) => block)
      const rest = dropped.length > SHOWN ? ' …' : ''
      const text = () =>
        `${plural(blocks, 'block')} with ${plural(logs, 'log')} compared by ${plural(searches, 'search', 'searches')} of the node: ` +
        (dropped.length === 0
          ? 'the node found all logs.'
          : `the node drops logs of ${plural(dropped.length, 'block')}: ${list.join(', ')}${rest}`)
      if (dropped.length === 0) return { value, text }
      const advice =
        'the node’s own eth_getLogs is not complete: fill a log index, or serve with --logs-trust-node off'
      return { value, text, failure: new CommandError(advice) }
    })
  } finally {
    await rpc.close()
  }
}

/** Reads ranges from the index where it covers them, otherwise from receipts. @throws CommandError */
async function readerOf(
  engine: Engine,
  receipts: (range: BlockRange) => Promise<AuditedLog[]>,
): Promise<(range: BlockRange) => Promise<AuditedLog[]>> {
  const facts = await requireFacts(engine)
  if (facts.addresses)
    throw new CommandError(
      'the index stores the logs of some contracts only: leave out --index to compare receipts',
    )
  const { readCoverage } = await import('../../logIndex/store/coverage.ts')
  const { createSearcher } = await import('../../logIndex/search/search.ts')
  const { readRows } = await import('../../logIndex/search/rows.ts')
  const covered = await engine.read(readCoverage)
  const searcher = createSearcher({ deadline: DEADLINE, engine, facts })
  return async (range) => {
    if (!covered.some(({ from, to }) => from <= range.from && to >= range.to))
      return receipts(range)
    const logs: AuditedLog[] = []
    for await (const rows of readRows(searcher, { addresses: [], topics: [], ...range }, 10_000))
      for (const { address = '', blockNumber, logIndex, topics } of rows)
        logs.push({
          block: Number(blockNumber),
          index: Number(logIndex),
          address: address.slice(2),
          topic: topics[0]?.slice(2),
        })
    return logs
  }
}
