import type { Address, Hash } from 'viem'

import type { BlockId } from '../codec/blockRef.ts'

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
  /** The signed bytes, hex without `0x`, until the transaction is final. */
  hex?: string
  /** Contracts whose predicted addresses the gateway replaced in the data. */
  replaced?: CreatedContract[]
  /** It creates a contract. */
  creates?: true
  /** What its sender chose, as text, where the gateway gave it the signed bytes instead of sending them. */
  intent?: string
  /** The solidified block when it was recorded. Records of earlier versions do not have it. */
  after?: BlockId
  /** `pending`: in no block that the gateway has read. `mined`: in `block`. `final`: in a solidified block. */
  state: 'pending' | 'mined' | 'final'
  /** Number of broadcasts that were started, in all replicas. */
  broadcasts: number
  /** The block with it. Absent while it is pending. */
  block?: BlockId
}

/** A transaction before it has a nonce and a state. */
export type NewTransaction = Omit<SentTransaction, 'block' | 'broadcasts' | 'nonce' | 'state'> & {
  nonce?: number
}

/**
 * Why a transaction ended that is in no block: no block can include it any more, or the named nodes refused it. `words` has those of
 * each node; records of earlier versions do not have it.
 */
export type Release =
  | { state: 'expired' }
  | { state: 'refused'; nodes: string[]; words?: string[]; reason: string }

/** How a transaction ended that is in no block. `expiration` in milliseconds. */
export type Ending = Pick<SentTransaction, 'alias' | 'expiration' | 'id'> & Release

/** What happened to a sent transaction. `transition` has the meaning of each. */
export type SentEvent =
  | { event: 'broadcast' }
  | { event: 'seen' | 'removed'; block: BlockId }
  | { event: 'final'; block?: BlockId }
  | { event: 'refused'; why: Release & { state: 'refused' } }
  | { event: 'expired' }

/** The result of an event: whether it changed the record, and the record after it; undefined when there is none any more. */
export type Changed = { changed: boolean; sent: SentTransaction | undefined }

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
   * Records a transaction as pending, with its first broadcast. Its nonce must be the next one of its sender; without a nonce it
   * gets the next one. An id or alias that the store has is `known`. When this resolves, the record is durable (except in memory),
   * so a broadcast transaction is never signed a second time.
   */
  reserve(sent: NewTransaction): Promise<Reservation>
  /** Resolves when the record of a transaction outlives the server that has it. @throws NotCopiedError when it may not */
  assertCopied(id: Hash): Promise<void>
  /** Applies an event to a transaction, see `transition`. One that ended frees its nonce and its contract, and its ending is kept. */
  change(id: Hash, event: SentEvent): Promise<Changed>
  /** How a transaction ended, by native id or by Ethereum hash. Kept for 30 days. */
  ending(hash: Hash): Promise<Ending | undefined>
  counts(from: Address): Promise<SentCounts>
  /**
   * Ids of transactions that are not final, ordered by expiration, at most `limit`; those of one sender when `from` is given, and those
   * that expire before a time when `expiredAt` is given, milliseconds.
   */
  unfinished(options: { from?: Address; expiredAt?: number; limit: number }): Promise<Hash[]>
  /** Ids of mined transactions that are not final, in blocks up to a height, the lowest first, at most `limit`. */
  mined(options: { upTo: number; limit: number }): Promise<Hash[]>
  /** Those of the given ids that are not final. */
  pick(ids: readonly Hash[]): Promise<Hash[]>
  /** Finds a transaction by native id or by Ethereum hash: until it is final, and for 30 days after. */
  find(hash: Hash): Promise<SentTransaction | undefined>
  /** Adds the contract that a transaction creates, unless the transaction has ended. Kept for 30 days. */
  addContract(id: Hash): Promise<void>
  /**
   * What was recorded of contracts since an earlier call, whose `next` is the cursor, in order; 0 for all. The last record
   * of a predicted address counts.
   */
  contracts(cursor: number): Promise<{ contracts: ContractRecord[]; next: number }>
}

/** Seconds for which a transaction can be found by either of its hashes: 30 days. */
export const SENT_TTL_SECONDS = 30 * 24 * 60 * 60

/** Maximum number of contracts that are kept; the oldest are dropped first. About 30 MB of memory. */
export const MAX_CONTRACTS = 100_000

/** The record of a transaction with its first broadcast. One whose sender has the bytes is only signed yet. */
export const firstRecord = (
  sent: Omit<NewTransaction, 'nonce'>,
  nonce: number,
): SentTransaction => ({
  ...sent,
  nonce,
  state: 'pending',
  broadcasts: sent.intent === undefined ? 1 : 0,
})

/** The hashes by which a transaction is found. */
export const hashesOf = ({ alias, id }: Pick<SentTransaction, 'alias' | 'id'>): Hash[] =>
  alias ? [id, alias] : [id]

/** The number and the hash of a block. */
export const toId = ({ hash, number }: BlockId): BlockId => ({ number, hash })
