import type { Call } from '../../lib/call.ts'
import { createDedupe } from '../../native/dedupe.ts'
import { isBusyOrUnreachable } from '../../native/errors.ts'
import type { BlockRange } from '../reads/blockRange.ts'

/**
 * Reads the block of a height with one call for all consecutive heights that are asked for in the same event loop tick, such as
 * those of a batch. Undefined when the block has to be read alone: no neighbour was asked for, or the answer lacks it.
 *
 * @throws UpstreamError when the node is busy or unreachable, the signal's reason
 */
export type Runs<block> = (number: number, call?: Call) => Promise<block | undefined>

/** Blocks of one call. On a busy chain each has up to half a megabyte of JSON. */
const MOST = 16

/** @param read - reads the blocks of a range, by height. It leaves out those that are missing or not as expected. */
export function createRuns<block>(
  read: (range: BlockRange, call: Call | undefined) => Promise<ReadonlyMap<number, block>>,
): Runs<block> {
  const dedupe = createDedupe()
  let tick: { heights: Set<number>; ranges: Promise<Map<number, BlockRange>> } | undefined

  function thisTick() {
    const heights = new Set<number>()
    // Runs after all that the present event has started and before the next event, so no read waits for another.
    const ranges = new Promise<Map<number, BlockRange>>((resolve) => {
      process.nextTick(() => {
        tick = undefined
        resolve(rangesOf(heights))
      })
    })
    return { heights, ranges }
  }

  return async (number, call) => {
    tick ??= thisTick()
    tick.heights.add(number)
    const range = (await tick.ranges).get(number)
    if (!range || range.from === range.to) return undefined
    const found = await dedupe(`${range.from} ${range.to}`, call, (call) =>
      read(range, call).catch((error: unknown) => {
        // A proxy in front of the node may refuse bulk reads. A node that is busy or unreachable must not get more calls.
        if (call?.signal?.aborted || isBusyOrUnreachable(error)) throw error
        return new Map<number, block>()
      }),
    )
    return found.get(number)
  }
}

/** The range of consecutive heights that each height is in. */
function rangesOf(heights: ReadonlySet<number>): Map<number, BlockRange> {
  const ranges = new Map<number, BlockRange>()
  let range: BlockRange | undefined
  for (const number of [...heights].toSorted((a, b) => a - b)) {
    if (range?.to === number - 1 && number - range.from < MOST) range.to = number
    else range = { from: number, to: number }
    ranges.set(number, range)
  }
  return ranges
}
