import type { NativeClient } from '../../native/client.ts'
import { firstOf, lastOf, type Segment } from '../store/coverage.ts'

/** The call that reads solidified blocks of a node. */
export type SolidSource = { solidity: Pick<NativeClient['solidity'], 'getBlock'> }

/** The hash of the solidified block of a height, as each node shows it; undefined for a node that has none, or fails. */
export type AskNodes = (number: number, signal?: AbortSignal) => Promise<(string | undefined)[]>

/**
 * Finds the segments of an abandoned branch. A node that lacks a block proves nothing: it may lag, be pruned, or be restored. A segment is
 * on another branch only when the solidified chain has another block in place of its last one, on more than half of the nodes.
 *
 * @returns the segments to remove, and why others could not be compared
 */
export async function findOrphans(
  segments: readonly Segment[],
  { ask, native, signal }: findOrphans.Options,
): Promise<{ orphans: Segment[]; problem: string | undefined }> {
  const orphans: Segment[] = []
  let problem: string | undefined
  const newest = await solidBlock(native, {}, signal)
  for (const range of linked(segments).toReversed()) {
    const top = range.findLastIndex((segment) => lastOf(segment) <= (newest?.number ?? -1))
    const above = range.at(-1)
    let good = top
    // A hash depends on all blocks before it, so all segments below a good one are good.
    for (; good >= 0; good--) {
      const segment = range[good] as Segment
      const number = lastOf(segment)
      const hash = (await solidBlock(native, { id_or_num: String(number) }, signal))?.hash
      if (hash === undefined) problem = lacks(number)
      if (hash === undefined || hash === segment.lastHash) break
      const shown = await ask(number, signal)
      if (shown.filter((one) => one === hash).length * 2 > shown.length) continue
      problem = `a node has another block ${number} than the index, and most nodes do not confirm it: nothing is removed`
      break
    }
    if (good < top) orphans.push(...range.slice(good + 1))
    else if (above && top < range.length - 1) problem = lacks(lastOf(above))
  }
  return { orphans, problem }
}

export declare namespace findOrphans {
  type Options = {
    ask: AskNodes
    native: SolidSource
    signal?: AbortSignal | undefined
  }
}

/** A solidified block of a node, the newest without `id_or_num`; undefined when the node does not have it. @throws UpstreamError */
export async function solidBlock(
  native: SolidSource,
  request: { id_or_num?: string },
  signal: AbortSignal | undefined,
): Promise<{ hash: string; number: number } | undefined> {
  const block = await native.solidity.getBlock({ ...request, detail: false }, { signal })
  return block && { hash: block.blockID, number: block.block_header.raw_data.number ?? 0 }
}

function lacks(number: number): string {
  return `the node does not have the solidified block ${number}, whose logs are indexed: the index is kept and not used until the node has it`
}

/** Lists of neighbouring segments. */
function linked(segments: readonly Segment[]): Segment[][] {
  const ranges: Segment[][] = []
  for (const segment of segments) {
    const last = ranges.at(-1)?.at(-1)
    if (last && lastOf(last) + 1 === firstOf(segment)) ranges.at(-1)?.push(segment)
    else ranges.push([segment])
  }
  return ranges
}
