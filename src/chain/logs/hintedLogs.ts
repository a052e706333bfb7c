import type { RpcLog } from '../../codec/types.ts'
import type { Call } from '../../lib/call.ts'
import { isBusyOrUnreachable } from '../../native/errors.ts'
import type { LogChunk } from '../blocks/logChunk.ts'
import type { LogMatcher } from '../blocks/logMatch.ts'
import { type HintedRead, readOutcomes, readTransactions } from './hintedBlock.ts'
import type { HintedBlock } from './logHints.ts'
import type { SearchMemory } from './searchMemory.ts'
import type { BlockSpans } from './spans.ts'

/** Blocks that one search reads at a time. */
const READS = 16

/**
 * Most transactions of a block that are read one by one. For each of them the node reads all outcomes of the block and
 * returns one, so a block with more of them is cheaper to read whole.
 */
const FEW_TRANSACTIONS = 4

/**
 * The logs of solidified blocks. Reads only the transactions that the hints name, or their whole blocks. Undefined when
 * there is no hint for a part, or when the logs differ from one: then the caller has to read all blocks.
 *
 * Outcomes do not contain the hash of their block, and that of one transaction not its index. These come from the hint. Each
 * search reads one block whole to check them.
 *
 * @param lists - hints for one part of the range after the other. A part is read while hints for the next ones are on the way.
 * @param call - aborted by the caller when this has failed, so that no part reads on
 */
export async function readHinted(
  lists: readonly Promise<readonly HintedBlock[] | undefined>[],
  matcher: LogMatcher,
  { limit, memory, native, hasGrpc, call, spans }: readHinted.Options,
): Promise<LogChunk[] | undefined> {
  const found: LogChunk[] = []
  const blocks = inOrder()
  /** Number of leading blocks that were read without a gap, and the number of their rows. */
  let done = 0
  let rows = 0
  let isRight = true

  /** The hinted blocks, as soon as they are known. */
  async function* inOrder(): AsyncGenerator<{ at: number; block: HintedBlock }> {
    let at = 0
    for (const list of lists) {
      const known = await list
      if (!known) isRight = false
      for (const block of known ?? []) yield { at: at++, block }
    }
  }

  /** Compares the hint for one block, hash included, with the whole block. */
  async function compare(): Promise<void> {
    let sample: HintedBlock | undefined
    // The first part with a block that is worth comparing is enough, so that it is read while the node searches the next parts.
    for (const list of lists) {
      const known = (await list) ?? []
      const best = bestToCompare(known)
      sample = best ?? sample ?? known[0]
      if (best) break
    }
    if (sample && isRight && !(await readWhole(sample))) isRight = false
  }

  async function readWhole(block: HintedBlock): Promise<LogChunk | undefined> {
    const read = await spans.readOne(block.number, call)
    const chunk = read?.id.hash === block.hash ? read.logs(matcher) : undefined
    return chunk && matchesHint(chunk, block) ? chunk : undefined
  }

  async function read(block: HintedBlock): Promise<LogChunk | undefined> {
    if (spans.has(block.number)) return readWhole(block)
    if (hasGrpc && block.transactions.length > 1)
      return readOutcomes(block, matcher, { native, call, spans })
    if (block.transactions.length > FEW_TRANSACTIONS) return readWhole(block)
    try {
      return await readTransactions(block, matcher, { native, call, spans })
    } catch (error) {
      // A proxy in front of the node may refuse this call. A node that is busy or unreachable must not get more calls.
      call?.signal?.throwIfAborted()
      if (isBusyOrUnreachable(error)) throw error
      return readWhole(block)
    }
  }

  async function work(): Promise<void> {
    while (rows <= limit && isRight) {
      call?.signal?.throwIfAborted()
      const { done: isOver, value } = await blocks.next()
      if (isOver) return
      await memory?.room()
      const chunk = await read(value.block)
      if (!chunk) {
        isRight = false
        return
      }
      found[value.at] = chunk
      memory?.add(chunk.bytes)
      for (let ready = found[done]; ready; ready = found[done]) {
        rows += ready.count
        done += 1
      }
    }
  }

  await Promise.all([compare(), ...Array.from({ length: READS }, work)])
  return isRight ? found.slice(0, done) : undefined
}

export declare namespace readHinted {
  type Options = {
    limit: number
    /** Counts the rows that the search holds. */
    memory?: SearchMemory | undefined
    native: HintedRead['native']
    /**
     * Whether the outcomes of a whole block cost the node no more than those of two transactions, as over gRPC. Then the hint for a
     * block with more than one is compared with the whole block, except for the hash.
     */
    hasGrpc: boolean
    spans: Pick<BlockSpans, 'has' | 'readOne' | 'run'>
    call?: Call | undefined
  }
}

/**
 * The block that is best read whole and compared: its matching logs come after others, which shows how the node counts log indexes. Of
 * those blocks it is the one with the fewest logs.
 */
function bestToCompare(blocks: readonly HintedBlock[]): HintedBlock | undefined {
  let best: HintedBlock | undefined
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
