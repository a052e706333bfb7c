import { plural } from '../../codec/coin.ts'
import { CommandError } from '../base/errors.ts'
import type { Result } from '../output/result.ts'
import { wholeNumber } from '../text/number.ts'
import type { Task } from '../words/command.ts'
import {
  type IndexOptions,
  type NodeOptions,
  requireFacts,
  withIndex,
  withNode,
} from '../words/indexOptions.ts'

/** The options of `ethgate index verify`. */
export type VerifyOptions = IndexOptions &
  NodeOptions & { sample?: string; all?: boolean; indexRate: string }

/** Calls to the node in flight. */
const CONCURRENCY = 8

/** `ethgate index verify`: compares blocks of the index with the node. */
export function verifyIndex({ io, options }: Task<VerifyOptions>): Promise<Result> {
  const sample = options.all ? undefined : wholeNumber(options.sample ?? '1000', '--sample', 1)
  const rate = wholeNumber(options.indexRate, '--index-rate', 1)
  return withIndex(io, options, (engine) =>
    withNode(io, options, CONCURRENCY, async (native) => {
      const facts = await requireFacts(engine)
      const { createPace } = await import('../../logIndex/fill/pace.ts')
      const { createBlockReader } = await import('../../logIndex/fill/source.ts')
      const { verifyBlocks } = await import('../../logIndex/verify.ts')
      const pace = createPace({ concurrency: CONCURRENCY, rate })
      const reader = createBlockReader({ native, pace })
      const value = await verifyBlocks({ engine, facts, reader, sample })
      const { blocks, logs, wrong } = value
      const list = wrong.length > 0 ? `: ${wrong.slice(0, 20).join(', ')}` : ''
      const text = () =>
        `${plural(blocks, 'block')} with ${plural(logs, 'log')} compared, ${wrong.length} wrong${list}.`
      if (wrong.length === 0) return { value, text }
      const advice = 'the index differs from the node: delete it and fill it again'
      return { value, text, failure: new CommandError(advice) }
    }),
  )
}
