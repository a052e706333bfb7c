import type { Hash } from 'viem'

import type { ChainUpdate, RecentBlock } from '../../../src/chain/head/headTypes.ts'

/** Blocks that a transaction lives, and that are not solidified. */
export const LIFETIME = 6
export const UNSOLID = 3

/** A hash by its number. */
export const hash = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`

/** A chain that removes blocks, with the pool of its nodes. Its blocks are a second apart. */
export type ModelChain = ReturnType<typeof createModelChain>

/** Creates a chain with its first block. */
export function createModelChain() {
  /** The Ethereum transaction of each native one, and when it expires. */
  const natives = new Map<Hash, { alias: number; expiration: number }>()
  const pool = new Set<Hash>()
  let branch = 0
  let chain: RecentBlock[] = []
  const updates: ChainUpdate[] = []

  const solidified = () => chain[Math.max(0, chain.length - 1 - UNSOLID)] as RecentBlock
  const has = (id: Hash) => chain.some(({ transactions }) => transactions.includes(id))
  const isAlive = (id: Hash) => (natives.get(id)?.expiration ?? 0) > (chain.at(-1)?.timestamp ?? 0)
  const canBeMined = (id: Hash) => pool.has(id) && !has(id) && isAlive(id)

  function blockWith(takes: number): RecentBlock {
    const number = chain.length
    const transactions = [...pool].filter(
      (id, index) => canBeMined(id) && (takes >> (index % 4)) & 1,
    )
    const block = {
      number,
      hash: hash(1_000_000 + number * 1_000 + branch),
      parentHash: chain.at(-1)?.hash ?? hash(0),
      timestamp: number * 1_000,
      transactions,
    } as unknown as RecentBlock
    chain = [...chain, block]
    return block
  }

  /** @param takes - which transactions of the pool the block has, as bits */
  function add(takes: number): void {
    const added = [blockWith(takes)]
    updates.push({ added, removed: [], solidified: solidified() })
  }

  add(0)
  return {
    add,
    blocks: (): readonly RecentBlock[] => chain,
    canBeMined,
    has,
    /** Whether a later block may have it. */
    isAlive,
    natives,
    pool,
    /** Replaces the last blocks, down to the solidified one, by one more of another branch. @param isDropped - from the pool too */
    reorg(depth: number, takes: number, isDropped: boolean): void {
      const solid = solidified().number
      const kept = Math.max(solid + 1, chain.length - depth)
      const removed = chain.slice(kept).toReversed()
      if (removed.length === 0) return
      branch += 1
      chain = chain.slice(0, kept)
      for (const { transactions } of removed)
        for (const id of transactions) if (isDropped) pool.delete(id)
      const added = Array.from({ length: removed.length + 1 }, (_, index) =>
        blockWith(takes >> index),
      )
      updates.push({ added, removed, solidified: solidified() })
    },
    solidified,
    updates,
  }
}
