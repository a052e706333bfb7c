import { plural } from '../support/amount.ts'
import { CommandError } from '../support/errors.ts'
import {
  type IndexOptions,
  type NodeOptions,
  openIndex,
  openNode,
  requireFacts,
} from '../support/indexOptions.ts'
import type { Io } from '../support/io.ts'
import { stringify } from '../support/json.ts'
import { wholeNumber } from '../support/number.ts'
import { createTerminal } from '../support/terminal.ts'

type VerifyOptions = IndexOptions &
  NodeOptions & { sample: string; all?: boolean; indexRate: string }

/** Calls to the node in flight. */
const CONCURRENCY = 8

/** `ethgate index verify`: compares blocks of the index with the node. */
export async function verifyIndex(io: Io, options: VerifyOptions): Promise<void> {
  const terminal = createTerminal(options, io)
  const sample = options.all ? undefined : wholeNumber(options.sample, '--sample', 1)
  const rate = wholeNumber(options.indexRate, '--index-rate', 1)
  const engine = await openIndex(io, options)
  const native = await openNode(io, options, CONCURRENCY)
  try {
    const facts = await requireFacts(engine)
    const { createPace } = await import('../../logIndex/fill/pace.ts')
    const { createBlockReader } = await import('../../logIndex/fill/source.ts')
    const { verifyBlocks } = await import('../../logIndex/verify.ts')
    const pace = createPace({ concurrency: CONCURRENCY, rate })
    const { blocks, logs, wrong } = await verifyBlocks({
      engine,
      facts,
      reader: createBlockReader({ native, pace }),
      sample,
    })
    await terminal.print(
      terminal.mode === 'json'
        ? stringify({ blocks, logs, wrong })
        : `${plural(blocks, 'block')} with ${plural(logs, 'log')} compared, ${wrong.length} wrong${wrong.length > 0 ? `: ${wrong.slice(0, 20).join(', ')}` : ''}.`,
    )
    if (wrong.length > 0)
      throw new CommandError('the index differs from the node: delete it and fill it again')
  } finally {
    await engine.close()
    await native.close()
  }
}
