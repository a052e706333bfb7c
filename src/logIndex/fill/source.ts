import { createOutlines } from '../../chain/logs/outlines.ts'
import { type BlockSource, loadBlock, logsFit } from '../../chain/reads/load.ts'
import { concernedBy } from '../../codec/accounts.ts'
import { toPlainLogs } from '../../codec/logPack/plainLog.ts'
import { toHash } from '../../codec/quantity.ts'
import type { Call } from '../../lib/call.ts'
import { together } from '../../lib/together.ts'
import type { NativeClient } from '../../native/client.ts'
import type { BlockParties } from '../../native/wire/blockOutline.ts'
import { type Parties, partiesIn } from '../../native/wire/parties.ts'
import type { TransactionLogs } from '../../native/wire/transactionLogs.ts'
import type { IndexBlock } from '../format/block.ts'
import type { Pace } from './pace.ts'

/** The native calls that filling makes. */
export type FillSource = {
  wallet: BlockSource['wallet'] &
    Pick<NativeClient['wallet'], 'getBlockParties' | 'getTransactionLogsByBlockNum'>
}

/** Reads blocks with their logs. Each is checked: right height, all transactions, an outcome for each. */
export type BlockReader = ReturnType<typeof createBlockReader>

/** Reads blocks at a given pace. */
export function createBlockReader({ native, pace }: createBlockReader.Options) {
  const outlines = createOutlines<BlockParties>(
    (request, call) => native.wallet.getBlockParties(request, call),
    (call) => pace.run(call),
  )
  const paced: BlockSource = {
    wallet: {
      getBlockViewById: (request, options) =>
        pace.run(() => native.wallet.getBlockViewById(request, options)),
      getBlockViewByNum: (request, options) =>
        pace.run(() => native.wallet.getBlockViewByNum(request, options)),
      getOutcomeViewsByBlockNum: (request, options) =>
        pace.run(() => native.wallet.getOutcomeViewsByBlockNum(request, options)),
    },
  }

  async function readStep(from: number, to: number, call?: Call): Promise<IndexBlock[]> {
    const byNumber = await outlines.read(from, to, call)
    const numbers = Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
    return together(call, (own) =>
      numbers.map((number) => readOne(number, byNumber.get(number), own)),
    )
  }

  /** One block. `outline` is absent when the node left it out of a range. */
  async function readOne(
    number: number,
    outline: BlockParties | undefined,
    call: Call | undefined,
  ): Promise<IndexBlock> {
    if (outline) {
      const logs =
        number === 0 || outline.txIDs.length === 0
          ? []
          : await pace.run(() => native.wallet.getTransactionLogsByBlockNum({ num: number }, call))
      if (logsFit(outline, logs, number)) return toIndexBlock(outline, outline.parties, logs)
    }
    // Something does not fit. Reading the block alone retries, or says what is wrong.
    const loaded = await loadBlock(paced, { number }, call)
    if (!loaded) throw new Error(`the node does not have block ${number}`)
    const { block, infos } = loaded
    return toIndexBlock(block, (block.transactions ?? []).map(partiesIn), infos)
  }

  return {
    /**
     * Blocks from one height to another, both included, in order. Calls go on ahead of the block that is taken.
     *
     * @throws UpstreamError, or the signal's reason
     */
    async *read(from: number, to: number, call?: Call): AsyncGenerator<IndexBlock> {
      let isOver = false
      const start = (at: number): Reading => {
        const end = Math.min(to, at + outlines.step() - 1)
        const blocks = readStep(at, end, call)
        // The size of the next step depends on those before it.
        const next = pace.free().then(() => (isOver || end === to ? undefined : start(end + 1)))
        // An error is thrown where the blocks are taken.
        blocks.catch(() => {})
        return { blocks, next }
      }
      try {
        for (let reading: Reading | undefined = start(from); reading; reading = await reading.next)
          yield* await reading.blocks
        call?.signal?.throwIfAborted()
      } finally {
        isOver = true
      }
    },
  }
}

/** A step of reading, and the one after it. */
type Reading = { blocks: Promise<IndexBlock[]>; next: Promise<Reading | undefined> }

export declare namespace createBlockReader {
  type Options = { native: FillSource; pace: Pace }
}

/** A block as the index keeps it. */
function toIndexBlock(
  block: Pick<BlockParties, 'blockID' | 'block_header'>,
  parties: BlockParties['parties'],
  logs: readonly TransactionLogs[],
): IndexBlock {
  const { number = 0, parentHash, timestamp = 0 } = block.block_header.raw_data
  return {
    number,
    hash: block.blockID,
    parentHash: toHash(parentHash).slice(2),
    timestamp: Math.floor(timestamp / 1000),
    logs: toPlainLogs(logs),
    // Genesis has transactions without outcomes.
    transactions: logs.map((outcome, index) => concernedBy(parties[index] as Parties, outcome)),
  }
}
