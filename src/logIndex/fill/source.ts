import {
  assertFits,
  type BlockSource,
  loadBlock,
  type LoadedBlock,
  loadInfos,
} from '../../chain/load.ts'
import { toPlainLogs } from '../../codec/logPage/plainLog.ts'
import { toHash } from '../../codec/quantity.ts'
import type { NativeClient } from '../../native/client.ts'
import type { Block, TransactionInfo } from '../../native/types.ts'
import type { IndexBlock } from '../format/block.ts'
import type { Pace } from './pace.ts'

/** The native calls that filling makes. */
export type FillSource = {
  wallet: BlockSource['wallet'] & Pick<NativeClient['wallet'], 'getBlockByLimitNext'>
}

/** The node gives at most 100 blocks at once. */
const MAX_STEP = 100
const MIN_STEP = 4
const FIRST_STEP = 25

/** Transactions wanted in one answer: about 1.5 KB each, so well under a megabyte to parse at a time. */
const TRANSACTIONS_PER_CALL = 400

/** Reads blocks with their logs, each checked: it is the one asked for, it is whole, and so are the outcomes of its transactions. */
export type BlockReader = {
  /** Blocks from one height to another, both included, in order. @throws UpstreamError */
  read(from: number, to: number, signal?: AbortSignal): Promise<IndexBlock[]>
}

/** Reads through a pace, which bounds the calls and spreads them in time. */
export function createBlockReader({ native, pace }: createBlockReader.Options): BlockReader {
  let step = FIRST_STEP

  async function readStep(from: number, to: number, signal?: AbortSignal): Promise<IndexBlock[]> {
    const { block: blocks = [] } = await pace.run(() =>
      native.wallet.getBlockByLimitNext({ startNum: from, endNum: to + 1 }, { signal }),
    )
    const transactions = blocks.reduce((sum, { transactions = [] }) => sum + transactions.length, 0)
    const perBlock = transactions / Math.max(blocks.length, 1)
    step = Math.min(MAX_STEP, Math.max(MIN_STEP, Math.floor(TRANSACTIONS_PER_CALL / perBlock)))
    const byNumber = new Map(
      blocks.map((block) => [block.block_header.raw_data.number ?? 0, block]),
    )
    const numbers = Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
    return Promise.all(numbers.map((number) => readOne(number, byNumber.get(number), signal)))
  }

  /** One block, of which the node may have given the body already. */
  async function readOne(
    number: number,
    block: Block | undefined,
    signal: AbortSignal | undefined,
  ): Promise<IndexBlock> {
    const paced: BlockSource = {
      wallet: {
        getBlockById: (request, options) =>
          pace.run(() => native.wallet.getBlockById(request, options)),
        getBlockByNum: (request, options) =>
          pace.run(() => native.wallet.getBlockByNum(request, options)),
        getTransactionInfoByBlockNum: (request, options) =>
          pace.run(() => native.wallet.getTransactionInfoByBlockNum(request, options)),
      },
    }
    const loaded =
      (block && (await complete(paced, block, number, signal))) ??
      (await loadBlock(paced, { number }, signal))
    if (!loaded) throw new MissingBlockError(number)
    return toIndexBlock(loaded.block, loaded.infos)
  }

  return {
    async read(from, to, signal) {
      const reads: Promise<IndexBlock[]>[] = []
      for (let at = from; at <= to;) {
        const end = Math.min(to, at + step - 1)
        const reading = readStep(at, end, signal)
        // Told by the one that waits for all.
        reading.catch(() => {})
        reads.push(reading)
        at = end + 1
        // So that the size of the next step follows what this one found.
        await pace.free()
      }
      return (await Promise.all(reads)).flat()
    },
  }
}

export declare namespace createBlockReader {
  type Options = { native: FillSource; pace: Pace }
}

/** A block that came together with others, with its outcomes. Undefined when something about it is wrong: read by itself it tells what. */
async function complete(
  native: BlockSource,
  block: Block,
  number: number,
  signal: AbortSignal | undefined,
): Promise<LoadedBlock | undefined> {
  try {
    assertFits(block, { number })
  } catch {
    return undefined
  }
  const infos = await loadInfos(native, block, signal)
  return infos && { block, infos }
}

/** The node does not have a block that it called solidified. */
class MissingBlockError extends Error {
  override name = 'MissingBlockError'

  constructor(number: number) {
    super(`the node does not have block ${number}`)
  }
}

/** A block as the index keeps it. */
function toIndexBlock(block: Block, infos: readonly TransactionInfo[]): IndexBlock {
  const { number = 0, parentHash, timestamp = 0 } = block.block_header.raw_data
  return {
    number,
    hash: block.blockID,
    parentHash: toHash(parentHash).slice(2),
    timestamp: Math.floor(timestamp / 1000),
    logs: toPlainLogs(infos),
  }
}
