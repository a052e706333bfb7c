import type { CanonicalView } from '../../src/chain/blocks/blocks.ts'
import type { HeadBlock, ChainUpdate, RecentBlock } from '../../src/chain/head/headTypes.ts'
import type { ScriptedChain } from './chain.ts'

/**
 * A head with the canonical blocks of a scripted chain as of the last `follow()`. Until the next call the node may be
 * ahead, or on another branch.
 */
export function createSteeredHead(chain: ScriptedChain, { window = 128 } = {}) {
  let blocks: HeadBlock[] = []
  let solid = 0
  let polls = 0
  const listeners = new Set<(update: ChainUpdate) => void>()
  const newest = () => blocks.at(-1) as HeadBlock

  const head: CanonicalView = {
    at: (number) => (number > newest().number - window ? blocks[number] : undefined),
    latest: newest,
    solid: () => blocks[solid] as HeadBlock,
    blockWith: (transaction) =>
      chain
        .canonical()
        .find(
          ({ number, transactions }) =>
            number <= newest().number && transactions.includes(transaction),
        ),
    onUpdate(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    pollNow() {
      polls += 1
    },
  }

  function follow(solidNumber = solid): void {
    const before = blocks
    blocks = chain.canonical()
    solid = solidNumber
    const recent = (list: HeadBlock[], other: HeadBlock[]) =>
      list.filter(({ hash, number }) => other[number]?.hash !== hash) as RecentBlock[]
    const update = {
      added: recent(blocks, before),
      removed: recent(before, blocks).toReversed(),
      solidified: head.solid(),
    }
    for (const listener of listeners) listener(update)
  }

  follow()
  return { ...head, follow, polls: () => polls }
}
