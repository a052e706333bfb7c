import type { Canon } from '../src/chain/blocks.ts'
import type { HeadBlock, HeadChange, RecentBlock } from '../src/chain/headTypes.ts'
import type { ScriptedChain } from './chain.ts'

/**
 * A head that knows the canonical blocks of a scripted chain as of the last `follow()`: between two of them the node is
 * ahead, or on another branch.
 */
export function createSteeredHead(chain: ScriptedChain, { window = 128 } = {}) {
  let blocks: HeadBlock[] = []
  let solid = 0
  let pokes = 0
  const listeners = new Set<(change: HeadChange) => void>()
  const newest = () => blocks.at(-1) as HeadBlock

  const head: Canon = {
    at: (number) => (number > newest().number - window ? blocks[number] : undefined),
    latest: newest,
    solid: () => blocks[solid] as HeadBlock,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    poke() {
      pokes += 1
    },
  }

  function follow(solidNumber = solid): void {
    const before = blocks
    blocks = chain.canonical()
    solid = solidNumber
    const recent = (list: HeadBlock[], other: HeadBlock[]) =>
      list.filter(({ hash, number }) => other[number]?.hash !== hash) as RecentBlock[]
    const change = {
      added: recent(blocks, before),
      removed: recent(before, blocks).toReversed(),
      solid: head.solid(),
    }
    for (const listener of listeners) listener(change)
  }

  follow()
  return { ...head, follow, pokes: () => pokes }
}
