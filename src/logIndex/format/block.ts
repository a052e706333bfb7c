import type { Concerned } from '../../codec/accounts.ts'
import type { PlainLog } from '../../codec/logPack/plainLog.ts'
import type { Hex } from '../../native/wire/types.ts'

/** A block as an index keeps it. */
export type IndexBlock = {
  number: number
  hash: Hex
  parentHash: Hex
  /** Seconds. */
  timestamp: number
  logs: readonly PlainLog[]
  /** What each transaction concerns, in the order of the block; none of genesis. */
  transactions: readonly Concerned[]
}
