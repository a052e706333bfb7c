import pLimit from 'p-limit'

import { toHash } from '../codec/quantity.ts'
import { turns } from '../lib/turns.ts'
import type { NativeClient } from '../native/client.ts'
import { NodeTimeoutError } from '../native/errors.ts'
import type { Block } from '../native/types.ts'
import type { Blocks, CanonicalView } from './blocks.ts'
import type { CachedBlock } from './cachedBlock.ts'
import { assertFits, loadInfos } from './load.ts'

/** Reads neighbouring blocks with fewer calls than one by one. */
export type BlockSpans = {
  /** The canonical blocks of a span, in order; undefined where there is none. @throws UpstreamError */
  read(
    from: number,
    to: number,
    signal?: AbortSignal,
  ): Promise<readonly (CachedBlock | undefined)[]>
  /** How many blocks a span should have, as dense as the chain was where it was read last. */
  step(): number
}

/** The node gives at most 100 blocks in one answer. */
const MAX_STEP = 100
const MIN_STEP = 4
const FIRST_STEP = 25
/** Transactions wanted in one answer: about 1.5 KB each, so well under a megabyte to parse at a time. */
const TRANSACTIONS_PER_CALL = 400

/**
 * Most blocks of a quiet chain are empty, and one call reads a hundred of them. Outcomes are read only of blocks with
 * transactions. `concurrency` bounds the concurrent calls of all searches together.
 */
export function createBlockSpans({
  blocks,
  concurrency,
  head,
  native,
}: createBlockSpans.Options): BlockSpans {
  const limit = pLimit(concurrency)
  let step = FIRST_STEP

  /**
   * Solidified blocks of a span in bulk, with the checks of a block that is read alone. Those that are missing or do not fit are
   * left to be read one by one.
   */
  async function readBulk(
    from: number,
    to: number,
    signal: AbortSignal | undefined,
  ): Promise<Map<number, CachedBlock>> {
    const { block: answer = [] } = await limit(() =>
      native.wallet.getBlockByLimitNext({ startNum: from, endNum: to + 1 }, { signal }),
    )
    const count = answer.reduce((sum, { transactions }) => sum + (transactions?.length ?? 0), 0)
    const perBlock = count / Math.max(answer.length, 1)
    step = Math.min(MAX_STEP, Math.max(MIN_STEP, Math.floor(TRANSACTIONS_PER_CALL / perBlock)))

    const read = new Map<number, CachedBlock>()
    await Promise.all(
      answer.map(async (block) => {
        const number = block.block_header.raw_data.number ?? 0
        const known = blocks.peek(number)
        if (known) read.set(number, known)
        if (known || number < from || number > to || !isUsable(block, number)) return
        const infos = await (block.transactions?.length
          ? limit(async () => {
              // Another search may have read it meanwhile.
              const found = blocks.peek(number)
              if (found) read.set(number, found)
              return found ? undefined : loadInfos(native, block, signal)
            })
          : loadInfos(native, block, signal))
        if (!infos) return
        if (turns.isOver()) await turns.next()
        read.set(number, blocks.peek(number) ?? blocks.putSolid({ block, infos }))
      }),
    )
    return read
  }

  function isUsable(block: Block, number: number): boolean {
    const canonical = blocks.hashAt(number)
    if (canonical !== undefined && canonical !== toHash(block.blockID)) return false
    try {
      assertFits(block, { number })
      return true
    } catch {
      return false
    }
  }

  return {
    step: () => step,

    async read(from, to, signal) {
      const numbers = Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
      const here = numbers.map((number) => blocks.peek(number))
      if (here.every((block) => block !== undefined)) return here
      const solid = head.solid().number
      const missing = numbers.filter((number, index) => number <= solid && !here[index])
      const first = missing[0]
      const last = missing.at(-1)
      // A front end may not offer bulk reads. Then, and after most failures, the blocks are read one by one. A node that does not
      // answer in time is not given more to do.
      const bulk =
        first !== undefined && last !== undefined && last - first < MAX_STEP && missing.length > 1
          ? await readBulk(first, last, signal).catch((error: unknown) => {
              if (error instanceof NodeTimeoutError) throw error
              return undefined
            })
          : undefined
      signal?.throwIfAborted()
      return Promise.all(
        numbers.map(async (number) => {
          // A block that was here before may have been orphaned meanwhile.
          const known = bulk?.get(number) ?? blocks.peek(number)
          return known ?? limit(() => blocks.get(number, signal))
        }),
      )
    },
  }
}

export declare namespace createBlockSpans {
  type Options = {
    native: {
      wallet: Pick<
        NativeClient['wallet'],
        'getBlockByLimitNext' | 'getBlockByNum' | 'getBlockById' | 'getTransactionInfoByBlockNum'
      >
    }
    head: Pick<CanonicalView, 'solid'>
    blocks: Pick<Blocks, 'get' | 'hashAt' | 'peek' | 'putSolid'>
    concurrency: number
  }
}
