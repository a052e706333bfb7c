import type { Call } from '../../lib/call.ts'
import type { BlockOutline } from '../../native/wire/blockOutline.ts'

/** Blocks of the longest span: the node returns at most 100 blocks in one answer. */
export const MAX_STEP = 100
const MIN_STEP = 4
const FIRST_STEP = 25

/** Transactions that one answer should have. Each has about 1.5 KB, so an answer has less than a megabyte to parse. */
const TRANSACTIONS_PER_CALL = 400

/** Reads the outlines of spans of blocks, one call for each. @param readSpan - one call. @param run - makes a call within the limits of the caller */
export function createOutlines<outline extends BlockOutline>(
  readSpan: (request: { startNum: number; endNum: number }, call?: Call) => Promise<outline[]>,
  run: <result>(read: () => Promise<result>, call?: Call) => Promise<result>,
) {
  let step = FIRST_STEP
  return {
    /** The number of blocks that a span should have, from the density of the blocks that were read last. */
    step: () => step,
    /** The outlines that the node gave, by height. @throws UpstreamError */
    async read(from: number, to: number, call: Call | undefined): Promise<Map<number, outline>> {
      const outlines = await run(() => readSpan({ startNum: from, endNum: to + 1 }, call), call)
      const transactions = outlines.reduce((sum, { txIDs }) => sum + txIDs.length, 0)
      const perBlock = transactions / Math.max(outlines.length, 1)
      step = Math.min(MAX_STEP, Math.max(MIN_STEP, Math.floor(TRANSACTIONS_PER_CALL / perBlock)))
      return new Map(
        outlines.flatMap((outline) => {
          const number = outline.block_header.raw_data.number ?? 0
          return number < from || number > to ? [] : [[number, outline]]
        }),
      )
    },
  }
}
