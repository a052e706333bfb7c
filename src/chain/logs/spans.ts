import { toHash } from '../../codec/quantity.ts'
import type { Call } from '../../lib/call.ts'
import { createFairLimit } from '../../lib/fairLimit.ts'
import { timeSlice } from '../../lib/timeSlice.ts'
import { NodeTimeoutError } from '../../native/errors.ts'
import type { BlockOutline } from '../../native/wire/blockOutline.ts'
import type { TransactionLogs } from '../../native/wire/transactionLogs.ts'
import type { Blocks, CanonicalView } from '../blocks/blocks.ts'
import type { CachedBlock } from '../blocks/cachedBlock.ts'
import { createLogBlock, type LogBlock } from '../blocks/logBlock.ts'
import type { SolidCache } from '../blocks/solidCache.ts'
import { logsFit, type LogSource } from '../reads/load.ts'
import { createOutlines, MAX_STEP } from './outlines.ts'

/** A block for log searches: a block of the block cache, or one of which only the logs were read. */
export type SearchedBlock = Pick<CachedBlock, 'count' | 'id' | 'logs'>

/** Reads the logs of blocks. */
export type BlockSpans = ReturnType<typeof createBlockSpans>

/**
 * Reads spans of blocks. Most blocks of a quiet chain are empty, and one call reads a hundred of them. Outcomes are read
 * only for blocks with transactions. `concurrency` bounds the concurrent calls of all searches together.
 */
export function createBlockSpans({
  blocks,
  cache,
  concurrency,
  head,
  native,
}: createBlockSpans.Options) {
  const limit = createFairLimit(concurrency)
  const outlines = createOutlines<BlockOutline>(
    (request, call) => native.wallet.getBlockOutlines(request, call),
    limit,
  )

  /** A block in memory. It is looked up anew for each use, because a reorg may have removed it meanwhile. */
  const known = (number: number): SearchedBlock | undefined =>
    blocks.peek(number) ?? cache.get(number)

  /**
   * Reads the solidified blocks of a span in bulk, with the checks of a block that is read alone. The result lacks blocks
   * that are missing or fail a check: the caller reads those one by one.
   */
  async function readBulk(
    from: number,
    to: number,
    call: Call | undefined,
  ): Promise<Map<number, SearchedBlock>> {
    const epoch = blocks.epoch()
    const read = new Map<number, SearchedBlock>()
    await Promise.all(
      [...(await outlines.read(from, to, call))].map(async ([number, outline]) => {
        const block =
          known(number) ??
          (await (number > 0 && outline.txIDs.length > 0
            ? limit(async () => {
                // Another search may have read the block meanwhile.
                const found = known(number)
                return found ?? keep(outline, await logsOf(number, call), number, epoch, call)
              }, call)
            : keep(outline, [], number, epoch, call)))
        if (block) read.set(number, block)
      }),
    )
    return read
  }

  const logsOf = (number: number, call: Call | undefined) =>
    native.wallet.getTransactionLogsByBlockNum({ num: number }, call)

  /** Builds and caches a block from its outline and its logs; undefined when they do not belong together. */
  async function keep(
    outline: BlockOutline,
    logs: readonly TransactionLogs[],
    number: number,
    epoch: number,
    call: Call | undefined,
  ): Promise<SearchedBlock | undefined> {
    const canonical = blocks.hashAt(number)
    if (canonical !== undefined && canonical !== toHash(outline.blockID)) return undefined
    if (!logsFit(outline, logs, number)) return undefined
    if (timeSlice.isOver()) await timeSlice.next(call)
    const block = createLogBlock(outline, logs)
    cache.put(block, epoch)
    return block
  }

  return {
    step: () => outlines.step(),
    /** Whether a block is in memory. */
    has: (number: number) => known(number) !== undefined,
    /** Makes a call to the node within the limit that all searches share. */
    run: limit,

    /** One solidified block. @throws UpstreamError */
    async readOne(number: number, call?: Call): Promise<SearchedBlock | undefined> {
      const found = known(number)
      if (found) return found
      const epoch = blocks.epoch()
      const [outline, logs] = await Promise.all([
        limit(() => native.wallet.getBlockOutline({ num: number }, call), call),
        number === 0 ? [] : limit(() => logsOf(number, call), call),
      ])
      const block = outline && (await keep(outline, logs, number, epoch, call))
      return block ?? blocks.get(number, call)
    },

    /** The canonical blocks of a span, in order; undefined where there is none. @throws UpstreamError */
    async read(
      from: number,
      to: number,
      call?: Call,
    ): Promise<readonly (SearchedBlock | undefined)[]> {
      const numbers = Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
      const here = numbers.map(known)
      if (here.every((block) => block !== undefined)) return here
      const solid = head.solid().number
      const missing = numbers.filter((number, index) => number <= solid && !here[index])
      const first = missing[0]
      const last = missing.at(-1)
      // A proxy in front of the node may refuse bulk reads. Then, and after most failures, the blocks are read one by one. A node that
      // does not answer in time must not get more calls.
      const bulk =
        first !== undefined && last !== undefined && last - first < MAX_STEP && missing.length > 1
          ? await readBulk(first, last, call).catch((error: unknown) => {
              if (error instanceof NodeTimeoutError) throw error
              return undefined
            })
          : undefined
      call?.signal?.throwIfAborted()
      return Promise.all(
        numbers.map(
          async (number) =>
            bulk?.get(number) ?? known(number) ?? limit(() => blocks.get(number, call), call),
        ),
      )
    },
  }
}

export declare namespace createBlockSpans {
  type Options = {
    native: LogSource
    head: Pick<CanonicalView, 'solid'>
    blocks: Pick<Blocks, 'epoch' | 'get' | 'hashAt' | 'peek'>
    cache: SolidCache<LogBlock>
    concurrency: number
  }
}
