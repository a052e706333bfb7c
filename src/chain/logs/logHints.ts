import pLimit from 'p-limit'
import type { Hash } from 'viem'

import { toQuantity } from '../../codec/quantity.ts'
import type { Call } from '../../lib/call.ts'
import { NodeRpcError } from '../../native/errors.ts'
import type { NodeRpc } from '../../native/transport/nodeRpc.ts'
import type { LogMatch } from '../blocks/chainTypes.ts'
import type { BlockRange } from '../reads/blockRange.ts'

/** Finds the blocks that have logs of a search, without reading blocks. */
export type LogHints = ReturnType<typeof createLogHints>

/** A block that has matching logs, as the node's JSON-RPC reports it. */
export type HintedBlock = {
  hash: Hash
  number: number
  /** Number of matching logs. */
  count: number
  /** In the order of the block. */
  transactions: HintedTransaction[]
}

/** A transaction with matching logs. */
export type HintedTransaction = {
  id: Hash
  /** Index in the block. */
  index: number
  /** Indexes of the matching logs in the block. */
  logIndexes: number[]
}

/**
 * Blocks of one request to the node. Several requests are in flight, and the blocks of one are read while the node answers the next.
 * The node returns at most 10,000 logs.
 */
const SPAN = 1_250

/** Requests of one search that are in flight at a time. */
const CALLS = 4

/** Shorter ranges are read without hints. */
const FEW_BLOCKS = 50

/**
 * The node's codes for a range with too many logs, and for invalid arguments. The filter of a search is valid, so only its range can be
 * too long. A shorter one can succeed.
 */
const TOO_MUCH = new Set<unknown>([-32005, -32602])

/** The node's text for a range with too many blocks, if its code is another one. */
const TOO_MANY_BLOCKS = /max block range/i

/** The used fields of a log in the node's answer. */
export type NodeLog = {
  blockHash: Hash
  blockNumber: string
  logIndex: string
  transactionHash: Hash
  transactionIndex: string
}

/**
 * Hints from the node’s own JSON-RPC, which indexes logs by block ranges. Only the location of a log is used, because
 * contents come from the native API.
 *
 * @param rpc - returns undefined while no node has a JSON-RPC: then there are no hints.
 */
export function createLogHints({ rpc: current }: createLogHints.Options) {
  return {
    /**
     * The blocks that have matching logs: one list for each part of the range, in order. A list ends with the block in which its logs
     * exceed `limit`; it is undefined if the node does not say. Returns undefined if hints do not save reads.
     */
    blocksWith(
      { from, to }: BlockRange,
      match: LogMatch,
      { limit, call }: { limit: number; call?: Call | undefined },
    ) {
      const isNarrow = match.addresses.length > 0 || match.topics.some((choice) => choice?.length)
      const length = to - from + 1
      const rpc = current()
      if (!rpc || !isNarrow || length < FEW_BLOCKS) return undefined
      const next = pLimit(CALLS)
      return Array.from({ length: Math.ceil(length / SPAN) }, (_, span) => {
        const first = from + span * SPAN
        const part = { from: first, to: Math.min(to, first + SPAN - 1) }
        const list = next(async () =>
          blocksOf(await searchNode(rpc, part, match, { limit, call }), limit),
        ).catch(() => {
          call?.signal?.throwIfAborted()
          return undefined
        })
        // The search may end before it needs this part.
        list.catch(() => {})
        return list
      })
    },
  }
}

export declare namespace createLogHints {
  type Options = { rpc: () => Rpc | undefined }
}

type Rpc = Pick<NodeRpc, 'call'>

/**
 * The logs that the node's own search finds, in order. A range with too many of them is split, until more than `limit` are found.
 *
 * @throws NodeRpcError
 */
export async function searchNode(
  rpc: Rpc,
  { from, to }: BlockRange,
  match: LogMatch,
  { limit = Infinity, call }: { limit?: number; call?: Call | undefined },
): Promise<NodeLog[]> {
  const filter = {
    fromBlock: toQuantity(from),
    toBlock: toQuantity(to),
    ...(match.addresses.length > 0 && { address: match.addresses }),
    ...(match.topics.length > 0 && {
      topics: match.topics.map((choice) => (choice && choice.length > 0 ? choice : null)),
    }),
  }
  try {
    return (await rpc.call('eth_getLogs', [filter], call)) as NodeLog[]
  } catch (error) {
    if (from === to || !isTooMuch(error)) throw error
    const middle = from + Math.floor((to - from) / 2)
    const first = await searchNode(rpc, { from, to: middle }, match, { limit, call })
    if (first.length > limit) return first
    const rest = { limit: limit - first.length, call }
    return [...first, ...(await searchNode(rpc, { from: middle + 1, to }, match, rest))]
  }
}

function isTooMuch(error: unknown): boolean {
  if (!(error instanceof NodeRpcError)) return false
  const { code, message } = error.answered
  return TOO_MUCH.has(code) || TOO_MANY_BLOCKS.test(String(message))
}

/** Groups rows in chain order by block and transaction. */
function blocksOf(rows: readonly NodeLog[], limit: number): HintedBlock[] {
  const blocks: HintedBlock[] = []
  let found = 0
  for (const row of rows) {
    const number = Number(row.blockNumber)
    let block = blocks.at(-1)
    if (block?.number !== number) {
      if (found > limit) break
      block = { count: 0, hash: row.blockHash, number, transactions: [] }
      blocks.push(block)
    }
    let transaction = block.transactions.at(-1)
    if (transaction?.id !== row.transactionHash) {
      transaction = {
        id: row.transactionHash,
        index: Number(row.transactionIndex),
        logIndexes: [],
      }
      block.transactions.push(transaction)
    }
    transaction.logIndexes.push(Number(row.logIndex))
    block.count += 1
    found += 1
  }
  return blocks
}
