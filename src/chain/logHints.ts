import type { Hash } from 'viem'

import type { NodeRpc } from '../native/rpc.ts'
import type { LogMatch } from './chainTypes.ts'
import type { BlockRange } from './logScan.ts'

/** Tells where a search has logs, without reading blocks. */
export type LogHints = {
  /**
   * Blocks with logs that match, in order; from the beginning on, up to the one in which they are more than `limit`. Undefined when it
   * cannot be told.
   */
  blocksWith(
    range: BlockRange,
    match: LogMatch,
    options: { limit: number; signal?: AbortSignal | undefined },
  ): Promise<readonly HintedBlock[] | undefined>
}

/** A block that is said to have logs which match. */
export type HintedBlock = {
  hash: Hash
  number: number
  /** How many logs. */
  count: number
  /** In the order of the block. */
  transactions: HintedTransaction[]
}

export type HintedTransaction = {
  id: Hash
  /** Place in the block. */
  index: number
  /** Places in the block of the logs that match. */
  logIndexes: number[]
}

/** Blocks of one question: the node answers 10,000 logs at most, and what it answers is parsed in one turn. */
const SPAN = 2_500

/** Below this the blocks are read as they are. */
const FEW_BLOCKS = 50

/** What the node says of a range that has too many logs, or too many blocks: a shorter one will do. */
const TOO_MUCH = /more than|max block range/i

/** A log of the node's answer, as far as it is used. */
type Row = {
  blockHash: Hash
  blockNumber: string
  logIndex: string
  transactionHash: Hash
  transactionIndex: string
}

/**
 * Hints from the node’s own JSON-RPC, which indexes logs by block ranges. Only the location of a log is used.
 *
 * @param rpc - undefined while no node has one: then there are no hints.
 */
export function createLogHints({ rpc: current }: createLogHints.Options): LogHints {
  async function ask(
    rpc: Rpc,
    { from, to }: BlockRange,
    match: LogMatch,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<Row[]> {
    const filter = {
      fromBlock: `0x${from.toString(16)}`,
      toBlock: `0x${to.toString(16)}`,
      ...(match.addresses.length > 0 && { address: match.addresses }),
      ...(match.topics.length > 0 && {
        topics: match.topics.map((choice) => (choice && choice.length > 0 ? choice : null)),
      }),
    }
    try {
      return (await rpc.call('eth_getLogs', [filter], signal)) as Row[]
    } catch (error) {
      const reason = (error as { cause?: { message?: unknown } }).cause?.message
      if (from === to || typeof reason !== 'string' || !TOO_MUCH.test(reason)) throw error
      const middle = from + Math.floor((to - from) / 2)
      const first = await ask(rpc, { from, to: middle }, match, limit, signal)
      if (first.length > limit) return first
      const second = await ask(rpc, { from: middle + 1, to }, match, limit - first.length, signal)
      return [...first, ...second]
    }
  }

  return {
    async blocksWith({ from, to }, match, { limit, signal }) {
      const isNarrow = match.addresses.length > 0 || match.topics.some((choice) => choice?.length)
      const length = to - from + 1
      const rpc = current()
      if (!rpc || !isNarrow || length < FEW_BLOCKS) return undefined
      const starts = Array.from(
        { length: Math.ceil(length / SPAN) },
        (_, span) => from + span * SPAN,
      )
      try {
        const answers = await Promise.all(
          starts.map((at) =>
            ask(rpc, { from: at, to: Math.min(to, at + SPAN - 1) }, match, limit, signal),
          ),
        )
        return blocksOf(answers.flat(), limit)
      } catch {
        signal?.throwIfAborted()
        return undefined
      }
    },
  }
}

export declare namespace createLogHints {
  type Options = { rpc: () => Rpc | undefined }
}

type Rpc = Pick<NodeRpc, 'call'>

/** Groups rows, which are in order, by block and transaction. */
function blocksOf(rows: readonly Row[], limit: number): HintedBlock[] {
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
