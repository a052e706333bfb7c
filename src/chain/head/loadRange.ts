import type { RecentBlock } from './headTypes.ts'
import type { HeadSource, Tip } from './source.ts'

/** Concurrent reads. */
const PARALLEL = 8

/** Consecutive blocks up to the first that the node does not have. The caller checks their links. @throws RpcError */
export async function loadRange(
  source: HeadSource,
  from: number,
  to: number,
  tip: Tip,
): Promise<RecentBlock[]> {
  const found: RecentBlock[] = []
  for (let start = from; start <= to; start += PARALLEL) {
    const numbers = Array.from(
      { length: Math.min(PARALLEL, to - start + 1) },
      (_, index) => start + index,
    )
    const loaded = await Promise.all(
      numbers.map((number) =>
        number === tip.number ? source.loadTip(tip) : source.load({ number }),
      ),
    )
    for (const block of loaded) {
      if (!block) return found
      found.push(block)
    }
  }
  return found
}
