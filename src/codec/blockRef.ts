import type { Hash } from 'viem'

/** The tags of Ethereum. `safe` and `finalized` both mean the solidified block here. */
export const BLOCK_TAGS = ['latest', 'earliest', 'pending', 'safe', 'finalized'] as const

/** A block tag. */
export type BlockTag = (typeof BLOCK_TAGS)[number]

/** A block reference of a client: a height, a tag or a hash (EIP-1898). */
export type BlockRef = number | BlockTag | { blockHash: Hash }

/** A block on the canonical chain. */
export type BlockId = { number: number; hash: Hash }

/** The height of the block with this hash, which its first eight bytes are. The text is not checked. */
export const heightOfHash = (hash: string): number => Number.parseInt(hash.slice(2, 18), 16)
