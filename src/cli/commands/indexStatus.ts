import { grouped } from '../../codec/coin.ts'
import {
  accountsProblem,
  type CoveredRange,
  coverageOf,
  readSegments,
  withAccounts,
} from '../../logIndex/store/coverage.ts'
import type { Io } from '../base/io.ts'
import type { Result } from '../output/result.ts'
import { renderFields } from '../output/table.ts'
import { type IndexOptions, requireFacts, withIndex } from '../words/indexOptions.ts'

/** `ethgate index status`: the covered blocks and the size of an index. */
export function indexStatus(io: Io, options: IndexOptions): Promise<Result> {
  return withIndex(io, options, async (engine) => {
    const facts = await requireFacts(engine)
    const segments = await engine.read(readSegments)
    const covered = coverageOf(segments)
    const blocks = covered.reduce((sum, { from, to }) => sum + to - from + 1, 0)
    const logs = covered.reduce((sum, range) => sum + range.logs, 0)
    const bytes = await engine.size()
    const addresses = facts.addresses?.map((hex) => `0x${hex}`)
    const accounts = withAccounts(segments)
    const transactions = accounts.reduce((sum, { transactions = 0 }) => sum + transactions, 0)
    const note = accountsProblem(segments, !facts.addresses)
    const perLog = logs > 0 ? ` (${Math.round(bytes / logs)} a log)` : ''
    return {
      value: {
        engine: engine.kind,
        genesis: `0x${facts.genesis}`,
        covered: covered.map(({ from, logs, to }) => ({ from, to, logs })),
        blocks,
        logs,
        accounts: coverageOf(accounts).map(({ from, to }) => ({ from, to })),
        transactions,
        ...(note !== undefined && { note }),
        bytes,
        segments: segments.length,
        ...(addresses && { addresses }),
      },
      text: (terminal) =>
        renderFields(terminal, [
          ['engine', engine.kind],
          ['genesis', `0x${facts.genesis}`],
          ['blocks', rangesText(covered)],
          ['logs', grouped(logs)],
          ['accounts', rangesText(coverageOf(accounts))],
          ['transactions', grouped(transactions)],
          ['size', `${grouped(bytes)} bytes${perLog}`],
          ['contracts', addresses?.join(', ') ?? 'all'],
          ...(note === undefined ? [] : [['note', note] as const]),
        ]),
    }
  })
}

function rangesText(ranges: readonly CoveredRange[]): string {
  return ranges.map(({ from, to }) => `${grouped(from)} to ${grouped(to)}`).join(', ') || 'none'
}

/** `ethgate index compact`: merges segments and frees disk space. */
export function compactIndex(io: Io, options: IndexOptions & { into?: string }): Promise<Result> {
  return withIndex(io, options, async (engine) => {
    await requireFacts(engine)
    const { mergeIndex } = await import('../../logIndex/store/merge.ts')
    const before = await engine.size()
    await mergeIndex(engine)
    const after = await engine.compact(options.into)
    return {
      value: { before, after },
      text: () => `${grouped(before)} bytes before, ${grouped(after)} bytes now.`,
    }
  })
}
