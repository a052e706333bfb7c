import { toOutlineHeader, toRpcBlock } from '../../codec/block.ts'
import type { BlockId } from '../../codec/blockRef.ts'
import { toHash } from '../../codec/quantity.ts'
import type { RpcBlock } from '../../codec/types.ts'
import type { Call } from '../../lib/call.ts'
import { type Prepared, preparedOfText } from '../../lib/prepared.ts'
import { timeSlice } from '../../lib/timeSlice.ts'
import { createDedupe } from '../../native/dedupe.ts'
import type { BlockOutline } from '../../native/wire/blockOutline.ts'
import { logsFit, type LogSource } from '../reads/load.ts'
import type { Blocks } from './blocks.ts'
import type { PricedBlock } from './energyPrices.ts'
import { createReadAhead } from './readAhead.ts'
import { createRuns } from './runs.ts'
import type { SolidCache } from './solidCache.ts'

/** A block with the ids of its transactions, as JSON-RPC has it. */
export type SlimBlock = {
  readonly id: BlockId
  readonly prepared: Prepared<RpcBlock>
  /** Estimated memory. */
  readonly bytes: number
}

/**
 * Solidified blocks without their transactions, for clients that read many of them: indexers ask for consecutive ones in a batch.
 * Reading them over gRPC costs the node a tenth of reading whole blocks and outcomes over HTTP.
 */
export function createSlimBlocks({
  baseFee,
  blocks,
  cache,
  isSpare,
  native,
  newest,
}: createSlimBlocks.Options) {
  const dedupe = createDedupe()
  const readAhead = createReadAhead({
    isSpare,
    newest,
    read: async (number, call) => cache.get(number) ?? read(number, call),
  })
  /** Those who ask for a block while it is read ahead wait for it. */
  const read = (number: number, call: Call | undefined) =>
    dedupe(String(number), call, (call) => readTogether(number, call))

  const readTogether = createRuns(async ({ from, to }, call) => {
    const epoch = blocks.epoch()
    const outlines = await native.wallet.getBlockOutlines({ startNum: from, endNum: to + 1 }, call)
    const found = new Map<number, SlimBlock>()
    await Promise.all(
      outlines.map(async (outline) => {
        const block = await complete(outline)
        if (!block) return
        cache.put(block, epoch)
        found.set(block.id.number, block)
      }),
    )
    return found

    async function complete(outline: BlockOutline): Promise<SlimBlock | undefined> {
      const { number = 0, parentHash, timestamp = 0 } = outline.block_header.raw_data
      const { size, txIDs } = outline
      // Genesis has transactions without outcomes, and HTTP gives no size.
      if (number === 0 || size === undefined) return undefined
      const outcomes =
        txIDs.length === 0
          ? []
          : await native.wallet.getTransactionLogsByBlockNum({ num: number }, call)
      const id = { hash: toHash(outline.blockID), number }
      const canonical = blocks.hashAt(number)
      if (canonical !== undefined && canonical !== id.hash) return undefined
      if (!logsFit(outline, outcomes, number)) return undefined
      const baseFeePerGas = await baseFee({
        hash: id.hash,
        parentHash: toHash(parentHash),
        timestamp,
      })
      if (timeSlice.isOver()) await timeSlice.next(call)
      const header = toOutlineHeader(outline, outcomes, {
        baseFeePerGas,
        count: txIDs.length,
        size,
      })
      const block = toRpcBlock(header, txIDs.map(toHash))
      const prepared = preparedOfText<RpcBlock>(JSON.stringify(block))
      return { id, prepared, bytes: prepared.bytes.length + ENTRY_BYTES }
    }
  })

  return {
    /**
     * The solidified block of a height. Undefined when the caller has to read the whole block: no neighbour was requested, or
     * the node's answers do not fit together.
     *
     * @throws UpstreamError
     */
    async get(number: number, call?: Call): Promise<Prepared<RpcBlock> | undefined> {
      const found = cache.get(number)
      readAhead(number, call, found?.bytes)
      const block = found ?? (await read(number, call))
      return block?.prepared
    },
  }
}

/** Memory of a block without its text. */
const ENTRY_BYTES = 500

export declare namespace createSlimBlocks {
  type Options = {
    /** The base fee of a block; undefined if blocks announce no EIP-1559 fees. */
    baseFee: (block: PricedBlock) => Promise<bigint | undefined>
    blocks: Pick<Blocks, 'epoch' | 'hashAt'>
    cache: SolidCache<SlimBlock>
    /** See `createReadAhead`. */
    isSpare: createReadAhead.Options['isSpare']
    native: LogSource
    newest: createReadAhead.Options['newest']
  }
}
