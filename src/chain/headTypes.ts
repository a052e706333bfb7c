import type { Hash } from 'viem'

import type { RpcHeader, RpcLog } from '../codec/types.ts'

/** A canonical block as the head follower knows it. */
export type HeadBlock = {
  number: number
  hash: Hash
  parentHash: Hash
  /** Milliseconds. */
  timestamp: number
}

/** A recent block with what subscribers and filters deliver of it. */
export type RecentBlock = HeadBlock & {
  /** The `newHeads` payload. */
  header: RpcHeader
  transactions: Hash[]
  /** Every log of the block, in block order, `removed: false`. */
  logs: RpcLog[]
}

/** One step of the canonical chain: blocks that left it (newest first), then blocks that joined it (oldest first). */
export type HeadChange = {
  removed: RecentBlock[]
  added: RecentBlock[]
  solid: HeadBlock
}

/** The one view of the chain's tip that `latest`, filters, subscriptions and caches share. */
export type Head = {
  /** Newest canonical block. @throws UpstreamError while no block was ever seen. */
  latest(): HeadBlock
  /** Newest solidified block. @throws UpstreamError while none was ever seen. */
  solid(): HeadBlock
  /** The canonical block at a height inside the kept window (from the newest back at least 128 blocks and to the solid one). */
  at(number: number): HeadBlock | undefined
  /** A recent block with its logs, canonical ones only. Reads Redis or memory, never the node. */
  recent(hash: Hash): Promise<RecentBlock | undefined>
  /** Called after each step. Returns the function that ends it. */
  onChange(listener: (change: HeadChange) => void): () => void
  /** Asks for a poll now: something was just sent, or a chain in this process made a block. */
  poke(): void
  status(): HeadStatus
  start(): Promise<void>
  stop(): Promise<void>
}

export type HeadStatus = {
  role: 'leader' | 'follower' | 'alone'
  number: number | undefined
  solid: number | undefined
  /** Milliseconds since the head last moved; undefined before the first block. */
  age: number | undefined
  /** Whether the last poll of the upstream succeeded, and since when not. */
  upstream: 'up' | 'down' | 'unknown'
  /** Why the node's head is not followed, for people: it contradicts what was solidified. Absent when all is well. */
  problem?: string
}
