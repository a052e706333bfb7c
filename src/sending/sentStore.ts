import type { Address, Hash } from 'viem'

/** A contract that this gateway created: its address, and the address that an Ethereum library predicts for it. */
export type CreatedContract = { actual: Address; predicted: Address }

/** The record of a predicted address. Without `actual` the creation expired, so there is no contract. */
export type ContractRecord = { actual?: Address; predicted: Address }

/** A transaction that this gateway, or with Redis one of its replicas, broadcast. */
export type SentTransaction = {
  /** The native id. */
  id: Hash
  /** The hash of the Ethereum transaction that was translated; absent for a natively signed transaction. */
  alias?: Hash
  from: Address
  nonce: number
  /** Milliseconds of chain time after which no block can include it. */
  expiration: number
  /** The signed bytes, hex without `0x`, while the transaction is pending; absent if they are too long to keep. */
  hex?: string
  /** Contracts whose predicted addresses the gateway replaced in the data. */
  replaced?: CreatedContract[]
}

/**
 * Why a pending transaction is released: no block can include it any more, or the named nodes refused it. `words` has those of each
 * node; records of earlier versions do not have it.
 */
export type Release =
  | { state: 'expired' }
  | { state: 'refused'; nodes: string[]; words?: string[]; reason: string }

/** How a transaction ended that is in no block. `expiration` in milliseconds. */
export type Ending = Pick<SentTransaction, 'alias' | 'expiration' | 'id'> & Release

/** The result of reserving a nonce: reserved, known (sent before), or a nonce that is too low, too high or pending. */
export type Reservation =
  | { outcome: 'reserved'; nonce: number }
  | { outcome: 'known'; id: Hash }
  | { outcome: 'low' | 'taken' | 'high'; next: number }

/**
 * Nonces of an account. All below `mined` are those of mined transactions; `next` is the lowest that is neither mined nor
 * pending. A transaction that expires leaves a gap, which the next transaction fills.
 */
export type SentCounts = { mined: number; next: number }

/**
 * The record of sent transactions and their outcomes. The chain has no nonces, so the gateway assigns them: each
 * transaction of an account that is sent through it takes the lowest free one, and a mined one is never assigned again.
 * Each operation is atomic over all replicas that share the store.
 */
export type SentStore = {
  /**
   * Records a transaction as pending. Its nonce must be the next one of its sender; without a nonce it gets the next
   * one. An id or alias that the store has is `known`. When this resolves, the record is durable (except in memory), so
   * a broadcast transaction is never signed a second time.
   */
  reserve(sent: Omit<SentTransaction, 'nonce'> & { nonce?: number }): Promise<Reservation>
  /** Resolves when the record of a transaction outlives the server that has it. @throws NotCopiedError when it may not */
  assertCopied(id: Hash): Promise<void>
  /** Removes a pending transaction that was rejected or has expired, and its contract. This frees its nonce. Its ending is kept. */
  release(id: Hash, why: Release): Promise<void>
  /** How a transaction ended that was released, by native id or by Ethereum hash. Kept for 30 days. */
  ending(hash: Hash): Promise<Ending | undefined>
  /** Marks a pending transaction as mined. Its nonce is never free again. */
  confirm(id: Hash): Promise<void>
  counts(from: Address): Promise<SentCounts>
  /** Pending ids, ordered by expiration, at most `limit`; those of one sender when `from` is given. */
  pending(options: SentStore.PendingOptions): Promise<Hash[]>
  /** Those of the given ids that are pending. */
  pick(ids: readonly Hash[]): Promise<Hash[]>
  /** Finds a transaction by native id or by Ethereum hash: while it is pending, and for 30 days. */
  find(hash: Hash): Promise<SentTransaction | undefined>
  /** Adds the contract that a transaction creates, unless the transaction was released. Kept for 30 days. */
  addContract(id: Hash): Promise<void>
  /**
   * What was recorded of contracts since an earlier call, whose `next` is the cursor, in order; 0 for all. The last record
   * of a predicted address counts.
   */
  contracts(cursor: number): Promise<{ contracts: ContractRecord[]; next: number }>
}

export declare namespace SentStore {
  type PendingOptions = {
    from?: Address
    /** Returns only transactions that expire before this time, milliseconds. */
    expiredAt?: number
    limit: number
  }
}

/** Seconds for which a transaction can be found by either of its hashes: 30 days. */
export const SENT_TTL_SECONDS = 30 * 24 * 60 * 60

/** Maximum number of contracts that are kept; the oldest are dropped first. About 30 MB of memory. */
export const MAX_CONTRACTS = 100_000
