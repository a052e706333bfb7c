import type { BlockId } from '../../codec/blockRef.ts'
import type { RecentBlock } from '../headTypes.ts'
import { blockAt, isCanonical, type Window } from './window.ts'

/** How to come from a block that one has to the canonical chain: one block at a time, each with the position after it. */
export type Step = { block: RecentBlock; removed: boolean; after: BlockId }

/**
 * - `below`: the position is below the window, where the chain is final; it is read from the node.
 * - `ahead`: the position is on a block that this process has not heard of yet.
 * - `lost`: the position is on a branch so old that nothing is known of it any more.
 */
export type Route = Step[] | 'below' | 'ahead' | 'lost'

/** The steps from a position to the canonical block at height `to`: first back from orphans, newest first, then forward. */
export function stepsFrom(window: Window, from: BlockId, to: number): Route {
  const steps: Step[] = []
  const first = window.blocks[0]?.number ?? 0
  let at = from
  while (isCanonical(window, at) === false) {
    const block = window.orphans.get(at.hash)
    if (!block) return at.number <= window.solid.number ? 'lost' : 'ahead'
    at = { number: block.number - 1, hash: block.parentHash }
    steps.push({ block, removed: true, after: at })
  }
  if (at.number < first - 1) return steps.length > 0 ? steps : 'below'
  for (let number = at.number + 1; number <= to; number++) {
    const block = blockAt(window, number)
    if (!block) break
    steps.push({ block, removed: false, after: { number, hash: block.hash } })
  }
  return steps
}
