import type { Hash } from 'viem'

import type { BlockId } from '../../codec/blockRef.ts'
import type { RpcHeader, RpcLog } from '../../codec/types.ts'

/** A canonical block as the head knows it. */
export type HeadBlock = {
  number: number
  hash: Hash
  parentHash: Hash
  /** Milliseconds. */
  timestamp: number
}

/** A block of the window with the payloads that subscriptions and filters deliver. */
export type RecentBlock = HeadBlock & {
  /** The `newHeads` payload. */
  header: RpcHeader
  transactions: Hash[]
  /** Every log of the block, in block order, `removed: false`. */
  logs: RpcLog[]
  /** Set on the first block after a run of empty blocks: the last block before the run. Filters announce this block right after it. */
  follows?: BlockId
}

/** A chain update: the removed blocks (newest first), the added blocks (oldest first) and the solidified block. */
export type ChainUpdate = {
  removed: RecentBlock[]
  added: RecentBlock[]
  /** The newest solidified block after the update. */
  solidified: HeadBlock
  /**
   * Hash of block 1, if known. When it differs from the previous one, the chain was reset, and `removed` is the whole
   * window.
   */
  first?: Hash | undefined
}

/** The window: canonical blocks without a gap, the orphans, and the solidified block. Immutable. */
export type Window = {
  /** Ascending and linked by parent hash; never empty. */
  readonly blocks: readonly RecentBlock[]
  /**
   * Canonical blocks that are older than the window, in ascending order. A reorg to a block before a run of empty blocks needs
   * them. Absent until the first run.
   */
  readonly earlier?: readonly RecentBlock[]
  /** Blocks that a reorg removed, by hash. */
  readonly orphans: ReadonlyMap<Hash, RecentBlock>
  readonly solidified: HeadBlock
}

/** The window of this process, as the parts of the head change it. */
export type OwnWindow = {
  /** Undefined before the first block. */
  window: () => Window | undefined
  /** Hash of block 1, if known. */
  first: () => Hash | undefined
  apply: (update: ChainUpdate) => void
  /** Resolves when the update may be applied: no other replica answers from an older block any more. */
  prepare: (update: ChainUpdate) => Promise<void>
  /** Replaces the window by one that differs only in its orphans. */
  replace: (window: Window) => void
}

/** The view of the newest blocks that `latest`, filters, subscriptions and caches share. */
export type Head = {
  /** Newest canonical block. @throws UpstreamError before the first block was read. */
  latest(): HeadBlock
  /** Newest solidified block. @throws UpstreamError before the first block was read. */
  solid(): HeadBlock
  /** The canonical block at a height inside the window (the newest 128 blocks at least, and down to the solidified one). */
  at(number: number): HeadBlock | undefined
  /** The canonical block inside the window that holds a transaction. */
  blockWith(transaction: Hash): HeadBlock | undefined
  /** The window with its orphans; undefined before the first block. The same object until the next update. */
  window(): Window | undefined
  /**
   * Whether the other replicas know our newest block, so that they can resume a cursor on it. Always true without
   * Redis.
   */
  isShared(): boolean
  /**
   * Undefined when this replica may answer now. Otherwise resolves when it has the newest block that any replica had shown
   * at the time of the call. @throws UpstreamError when it does not reach that block in time.
   */
  reached(): Promise<void> | undefined
  /** Calls the listener after each update. Returns the function that removes it. */
  onUpdate(listener: (update: ChainUpdate) => void): () => void
  /** Polls the node now: a transaction was just sent, or a chain in this process made a block. */
  pollNow(): void
  status(): HeadStatus
  start(): Promise<void>
  stop(): Promise<void>
}

/** The role of a replica: polls for all replicas, applies the leader's updates, or polls its node itself. */
export type ReplicaRole = 'leader' | 'follower' | 'standalone'

/** The state of the head for `/health` and the metrics. */
export type HeadStatus = {
  role: ReplicaRole
  number: number | undefined
  solid: number | undefined
  /** Milliseconds since the head last moved; undefined before the first block. */
  age: number | undefined
  /** Whether the head moved before and has not moved for a minute. */
  isStalled: boolean
  /** Whether the last call of this replica to the node succeeded. */
  upstream: 'up' | 'down' | 'unknown'
  /** Why the head does not follow the node, as text for operators. Absent if it does. */
  problem?: string
}

/** Logs changes of state. A pino logger fits. */
export type HeadLog = Record<'info' | 'warn' | 'error', LogFunction>

type LogFunction = { (message: string): void; (fields: object, message: string): void }
