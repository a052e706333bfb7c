import type { Hash } from 'viem'

import { toLogText } from '../codec/log.ts'
import { toPlainLogs } from '../codec/logPage/plainLog.ts'
import { toHash, toQuantity, toSeconds } from '../codec/quantity.ts'
import type { RpcLog } from '../codec/types.ts'
import type { NativeClient } from '../native/client.ts'
import { NodeBusyError, NodeTimeoutError, NodeUnreachableError } from '../native/errors.ts'
import { type LogChunk, textChunk } from './logChunk.ts'
import type { HintedBlock } from './logHints.ts'
import type { LogMatcher } from './logMatch.ts'
import type { SearchMemory } from './searchMemory.ts'
import type { BlockSpans } from './spans.ts'

/** The native call that reads the logs of one transaction. */
export type TransactionSource = {
  wallet: Pick<NativeClient['wallet'], 'getTransactionLogsById'>
}

/** Blocks that one search reads at a time. */
const READS = 16

/**
 * Most transactions of a block that are read one by one. For each of them the node reads all outcomes of the block and
 * returns one, so a block with more of them is cheaper to read whole.
 */
const FEW_TRANSACTIONS = 4

/**
 * The logs of solidified blocks. Reads only the transactions that the hints name, or their whole blocks. Undefined when
 * the logs differ from a hint: then the caller has to read all blocks.
 *
 * The outcome of one transaction contains neither the hash of its block nor its index. Both come from the hint. Each
 * search reads one block whole to check them.
 */
export async function readHinted(
  blocks: readonly HintedBlock[],
  matcher: LogMatcher,
  { limit, memory, native, signal, spans }: readHinted.Options,
): Promise<LogChunk[] | undefined> {
  const found: LogChunk[] = []
  const compared = sampleOf(blocks)
  /** Number of leading blocks that were read without a gap, and the number of their rows. */
  let done = 0
  let rows = 0
  let next = 0
  let isRight = true

  async function readWhole(block: HintedBlock): Promise<LogChunk | undefined> {
    const read = await spans.readOne(block.number, signal)
    const chunk = read?.id.hash === block.hash ? read.logs(matcher) : undefined
    return chunk && matchesHint(chunk, block) ? chunk : undefined
  }

  async function read(block: HintedBlock): Promise<LogChunk | undefined> {
    const isWhole =
      block === compared || block.transactions.length > FEW_TRANSACTIONS || spans.has(block.number)
    if (isWhole) return readWhole(block)
    try {
      return await readTransactions(block, matcher, { native, signal, spans })
    } catch (error) {
      // A front end may not offer this call. A node that is busy or unreachable must not get more calls.
      signal?.throwIfAborted()
      if (TROUBLE.some((kind) => error instanceof kind)) throw error
      return readWhole(block)
    }
  }

  async function work(): Promise<void> {
    while (next < blocks.length && rows <= limit && isRight) {
      signal?.throwIfAborted()
      const at = next++
      const chunk = await read(blocks[at] as HintedBlock)
      if (!chunk) {
        isRight = false
        return
      }
      found[at] = chunk
      await memory?.add(chunk.bytes)
      for (let ready = found[done]; ready; ready = found[done]) {
        rows += ready.count
        done += 1
      }
    }
  }

  await Promise.all(Array.from({ length: READS }, work))
  return isRight ? found.slice(0, done) : undefined
}

export declare namespace readHinted {
  type Options = {
    limit: number
    /** Counts the rows that the search holds. */
    memory?: SearchMemory | undefined
    native: TransactionSource
    spans: Pick<BlockSpans, 'has' | 'readOne' | 'run'>
    signal?: AbortSignal | undefined
  }
}

const TROUBLE = [NodeBusyError, NodeTimeoutError, NodeUnreachableError]

/**
 * The block to read whole and compare. Its matching logs come after others, which shows how the node counts log indexes.
 * Of those blocks it is the one with the fewest logs.
 */
function sampleOf(blocks: readonly HintedBlock[]): HintedBlock | undefined {
  let best = blocks[0]
  let least = Infinity
  for (const block of blocks) {
    const last = block.transactions.at(-1)?.logIndexes.at(-1) ?? 0
    if (last >= block.count && last < least) {
      best = block
      least = last
    }
  }
  return best
}

/** Whether the rows of a whole block are those of a hint, with the same indexes. */
function matchesHint(chunk: LogChunk, { count, transactions }: HintedBlock): boolean {
  if (chunk.count !== count) return false
  let row = 0
  return transactions.every(({ id, index, logIndexes }) =>
    logIndexes.every((logIndex) => {
      const log = JSON.parse(chunk.row(row++).bytes.toString('latin1')) as RpcLog
      return (
        log.transactionHash === id &&
        Number(log.transactionIndex) === index &&
        Number(log.logIndex) === logIndex
      )
    }),
  )
}

/** The logs of a block, from the outcomes of the hinted transactions; undefined when they differ from the hint. */
async function readTransactions(
  hinted: HintedBlock,
  matcher: LogMatcher,
  { native, signal, spans }: Pick<readHinted.Options, 'native' | 'signal' | 'spans'>,
): Promise<LogChunk | undefined> {
  const { hash, number, transactions } = hinted
  if (!isHashOf(hash, number)) return undefined
  const outcomes = await Promise.all(
    transactions.map(({ id }) =>
      spans.run(() => native.wallet.getTransactionLogsById({ value: id.slice(2) }, { signal })),
    ),
  )
  const texts: string[] = []
  let nextIndex = 0
  let nextLog = 0
  for (const [at, { id, index, logIndexes }] of transactions.entries()) {
    const outcome = outcomes[at]
    if (!outcome || toHash(outcome.id) !== id || outcome.blockNumber !== number) return undefined
    const logs = toPlainLogs([outcome]).map(({ address, data, topics }) => ({
      address: `0x${address}` as const,
      data: `0x${data}` as const,
      topics: topics.map(toHash),
    }))
    const places = logs.flatMap((log, place) => (matcher.matches(log) ? [place] : []))
    const first = (logIndexes[0] ?? 0) - (places[0] ?? 0)
    const fits =
      places.length === logIndexes.length &&
      places.every((place, row) => first + place === logIndexes[row])
    if (!fits || index < nextIndex || first < nextLog) return undefined
    const common = {
      blockHash: hash,
      blockNumber: toQuantity(number),
      blockTimestamp: toSeconds(outcome.blockTimeStamp),
    }
    nextIndex = index + 1
    nextLog = first + logs.length
    for (const place of places) {
      const { address, data, topics } = logs[place] as (typeof logs)[number]
      texts.push(
        toLogText({
          address,
          ...common,
          data,
          logIndex: toQuantity(first + place),
          topics,
          transactionHash: id,
          transactionIndex: toQuantity(index),
          removed: false,
        }),
      )
    }
  }
  return textChunk(number, texts)
}

/** Whether a hash can be that of a block: its first eight bytes are the height. */
function isHashOf(hash: Hash, number: number): boolean {
  return HASH.test(hash) && Number.parseInt(hash.slice(2, 18), 16) === number
}

const HASH = /^0x[0-9a-f]{64}$/
