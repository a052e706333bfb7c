import { grouped } from '../../codec/coin.ts'
import { coverageOf, readSegments } from '../../logIndex/store/coverage.ts'
import { type IndexOptions, openIndex, requireFacts } from '../support/indexOptions.ts'
import type { Io } from '../support/io.ts'
import { stringify } from '../support/json.ts'
import { renderFields } from '../support/table.ts'
import { createTerminal } from '../support/terminal.ts'

/** `ethgate index status`: prints the covered blocks and the size of an index. */
export async function indexStatus(io: Io, options: IndexOptions): Promise<void> {
  const terminal = createTerminal(options, io)
  const engine = await openIndex(io, options)
  try {
    const facts = await requireFacts(engine)
    const segments = await engine.read(readSegments)
    const covered = coverageOf(segments)
    const blocks = covered.reduce((sum, { from, to }) => sum + to - from + 1, 0)
    const logs = covered.reduce((sum, range) => sum + range.logs, 0)
    const bytes = await engine.size()
    if (terminal.mode === 'json')
      return await terminal.print(
        stringify({
          engine: engine.kind,
          genesis: `0x${facts.genesis}`,
          covered: covered.map(({ from, logs, to }) => ({ from, to, logs })),
          blocks,
          logs,
          bytes,
          segments: segments.length,
          ...(facts.addresses && { addresses: facts.addresses.map((hex) => `0x${hex}`) }),
        }),
      )
    const ranges = covered.map(({ from, to }) => `${grouped(from)} to ${grouped(to)}`)
    await terminal.print(
      renderFields(terminal, [
        ['engine', engine.kind],
        ['genesis', `0x${facts.genesis}`],
        ['blocks', ranges.length > 0 ? ranges.join(', ') : 'none'],
        ['logs', grouped(logs)],
        [
          'size',
          `${grouped(bytes)} bytes${logs > 0 ? ` (${Math.round(bytes / logs)} a log)` : ''}`,
        ],
        [
          'contracts',
          facts.addresses ? facts.addresses.map((hex) => `0x${hex}`).join(', ') : 'all',
        ],
      ]),
    )
  } finally {
    await engine.close()
  }
}

/** `ethgate index compact`: merges segments and frees disk space. */
export async function compactIndex(
  io: Io,
  options: IndexOptions & { into?: string },
): Promise<void> {
  const terminal = createTerminal(options, io)
  const engine = await openIndex(io, options)
  try {
    await requireFacts(engine)
    const { mergeIndex } = await import('../../logIndex/store/merge.ts')
    const before = await engine.size()
    await mergeIndex(engine)
    const after = await engine.compact(options.into)
    await terminal.print(
      terminal.mode === 'json'
        ? stringify({ before, after })
        : `${grouped(before)} bytes before, ${grouped(after)} bytes now.`,
    )
  } finally {
    await engine.close()
  }
}
