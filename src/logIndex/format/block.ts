import type { Hex } from '../../native/types.ts'

/** A log as an index keeps it: hex without `0x`, lower case. */
export type IndexLog = {
  /** Place in the block. */
  index: number
  transactionIndex: number
  /** 32 bytes. */
  transactionHash: Hex
  /** 20 bytes. */
  address: Hex
  /** 32 bytes each, at most four. */
  topics: readonly Hex[]
  data: Hex
}

/** A block as an index keeps it. */
export type IndexBlock = {
  number: number
  hash: Hex
  parentHash: Hex
  /** Seconds. */
  timestamp: number
  logs: readonly IndexLog[]
}
