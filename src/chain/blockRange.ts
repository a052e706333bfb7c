/** Blocks from one height to another, inclusive. */
export type BlockRange = { from: number; to: number }
