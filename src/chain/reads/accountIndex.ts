import type { Call } from '../../lib/call.ts'
import type { BlockRange } from './blockRange.ts'

/** A search for the transactions of an account in a range of blocks, both ends included. */
export type AccountRequest = BlockRange & {
  /** 20 bytes, hex without `0x`. */
  account: string
  /** `concerns`: transactions of the account. `created`: those that created this contract. */
  list: 'concerns' | 'created'
  /** The sum of the kinds that are wanted; a transaction needs one of them. 0 for all. */
  kinds: number
  /** Transactions wanted. */
  limit: number
  order: 'newest' | 'oldest'
}

/** A transaction of an account. */
export type AccountPlace = { block: number; index: number; kinds: number }

/** The answer of one snapshot of an index. */
export type AccountAnswer = {
  /** The parts of the range that have accounts, in the order of blocks. Without a stop, all of them were searched. */
  covered: BlockRange[]
  /** In the order of the request; at most one more than the limit. A hash that two accounts share adds wrong ones. */
  places: AccountPlace[]
  /** Posting lists that were read. */
  reads: number
  /** Set when the deadline passed: only blocks before this one, in the order of the request, were searched. */
  stoppedAt?: number
}

/** An index of accounts as the chain sees it. */
export type AccountIndex = {
  /** The oldest block of a chain that forks another. Nothing is searched before it. */
  from?: number
  /** @returns undefined while there is no index to search @throws UpstreamError when it cannot be read; the signal's reason */
  accounts(
    request: AccountRequest,
    options?: { call?: Call | undefined; isOptional?: boolean },
  ): Promise<AccountAnswer | undefined>
}
