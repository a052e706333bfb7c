import type { Address, Hash } from 'viem'

/** A contract that this gateway created: its address, and the address that an Ethereum library predicts for it. */
export type CreatedContract = { actual: Address; predicted: Address }

/** A transaction that this gateway, or with Redis one of its replicas, broadcast. */
export type SentTransaction = {
  /** The native id: what the chain calls the transaction. */
  id: Hash
  /** The hash of the Ethereum transaction that it was made from; absent when it was signed natively. */
  alias?: Hash
  from: Address
  nonce: number
  /** Milliseconds of chain time after which no block can include it. */
  expiration: number
  /** The signed bytes, hex without `0x`, while the transaction is pending; absent when they are many. */
  hex?: string
  /** Contracts whose predicted addresses the gateway replaced in the data. */
  replaced?: CreatedContract[]
}

/** The result of reserving a nonce: reserved, the transaction was sent before, or the nonce does not fit. */
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
   * Records a transaction as pending. With a nonce it must be the next one of its sender; without, it gets the next
   * one. The same id or alias again is `known`. Once this resolves, the record outlives the process (not in memory):
   * what is broadcast after it is never signed a second time.
   */
  reserve(sent: Omit<SentTransaction, 'nonce'> & { nonce?: number }): Promise<Reservation>
  /** Removes a pending transaction that was refused or has expired, so that its nonce is free. */
  release(id: Hash): Promise<void>
  /** Marks a pending transaction as mined. Its nonce is never free again. */
  confirm(id: Hash): Promise<void>
  counts(from: Address): Promise<SentCounts>
  /** Pending ids, ordered by expiration, at most `limit`; those of one sender when `from` is given. */
  pending(options: SentStore.PendingOptions): Promise<Hash[]>
  /** The given ids that are pending here. */
  pick(ids: readonly Hash[]): Promise<Hash[]>
  /** Finds a transaction by native id or by Ethereum hash, for 30 days. */
  find(hash: Hash): Promise<SentTransaction | undefined>
  /** Keeps a contract as long as its transaction. */
  addContract(contract: CreatedContract): Promise<void>
  /** Contracts added since an earlier call, whose `next` is the cursor; 0 for all. A few may be returned twice. */
  contracts(cursor: number): Promise<{ contracts: CreatedContract[]; next: number }>
}

export declare namespace SentStore {
  type PendingOptions = {
    from?: Address
    /** Only those whose expiration is before this time, milliseconds. */
    expiredAt?: number
    limit: number
  }
}

/** Milliseconds that a transaction can be found by either of its hashes. */
export const SENT_TTL_SECONDS = 30 * 24 * 60 * 60
