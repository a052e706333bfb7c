import type { Tip } from './member.ts'

/** A node and its newest block. */
export type HeadView<node> = { node: node; tip: Tip }

/**
 * The newest block that enough nodes have: the highest one that `quorum` nodes agree on.
 *
 * @param hashAt - the hash that a node has at a height; called only for nodes above it.
 * @returns the node whose newest block is the head; undefined when not enough nodes agree on a block.
 */
export async function chooseHead<node>(
  views: readonly HeadView<node>[],
  quorum: number,
  hashAt: (node: node, number: number) => Promise<string | undefined>,
): Promise<HeadView<node> | undefined> {
  const sorted = views.toSorted((left, right) => right.tip.number - left.tip.number)
  for (const view of sorted) {
    // A node below this height cannot have the block, so enough nodes must be at or above it.
    const known = sorted.filter(({ tip }) => tip.number >= view.tip.number)
    if (known.length < quorum) continue
    const agree = await Promise.all(
      known.map(async ({ node, tip }) =>
        tip.number === view.tip.number
          ? tip.hash === view.tip.hash
          : (await hashAt(node, view.tip.number)) === view.tip.hash,
      ),
    )
    if (agree.filter(Boolean).length >= quorum) return view
  }
  return undefined
}

/** The hash that most nodes have; in a tie, that of the first node. */
export function majorityOf(hashes: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  let best: string | undefined
  for (const [hash, count] of counts) if (count > (counts.get(best ?? '') ?? 0)) best = hash
  return best
}

/**
 * The hash that is right at a height: that of more than half of all nodes. Where no hash has so many, it is the one that clients
 * were shown, because that block was solidified; if they were shown none, it is that of most nodes that answered.
 *
 * @param hashes - what the nodes answered.
 * @returns undefined where it depends on nodes whose answers are missing.
 */
export function rightHash(
  hashes: readonly string[],
  { missing = 0, of, shown }: rightHash.Options,
): string | undefined {
  const most = majorityOf(hashes)
  const count = hashes.filter((hash) => hash === most).length
  if (count > of / 2) return most
  return count + missing > of / 2 ? undefined : (shown ?? most)
}

export declare namespace rightHash {
  type Options = {
    /** Nodes that work but did not answer this time. @default 0 */
    missing?: number
    /** All nodes, also those that do not work. */
    of: number
    /** The hash that clients were shown. */
    shown: string | undefined
  }
}

/** The height that more than half of the nodes call solidified. */
export function majorityHeight(heights: readonly number[]): number | undefined {
  return heights.toSorted((left, right) => right - left)[Math.floor(heights.length / 2)]
}
