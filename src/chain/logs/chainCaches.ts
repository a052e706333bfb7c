import { LRUCache } from 'lru-cache'

import type { RpcLog } from '../../codec/types.ts'
import type { Config } from '../../config/config.ts'
import { type Prepared, preparedLength } from '../../lib/prepared.ts'
import type { NativeClient } from '../../native/client.ts'
import type { Blocks, CanonicalView } from '../blocks/blocks.ts'
import type { LogOrigin } from '../blocks/chainTypes.ts'
import { createEnergyPrices, type EnergyPrices } from '../blocks/energyPrices.ts'
import { createSlimBlocks } from '../blocks/slimBlocks.ts'
import { createSolidCache } from '../blocks/solidCache.ts'
import { createBlockSpans } from './spans.ts'

/** The caches that the two views of one chain share. */
export type ChainCaches = ReturnType<typeof createChainCaches>

/** An answer to a log search, and where its logs were found. */
export type LogAnswer = { logs: Prepared<RpcLog[]>; origins: readonly LogOrigin[] }

/** Memory for whole answers to log searches, as a share of the memory for blocks and in addition to it. */
const ANSWERS_SHARE = 1 / 8

/** Memory for the logs of blocks that searches have read, as a share of the same memory and in addition to it. */
const LOGS_SHARE = 1 / 4

/** Memory for solidified blocks without transactions that were read in bulk, as a share of the same memory and in addition to it. */
const SLIM_SHARE = 1 / 8

/** Bytes of a cached answer without its text: the key and the entry. */
const ANSWER_BYTES = 500

/** Bytes of one range of blocks from one source. A search of blocks that are in memory by turns has thousands of them. */
const ORIGIN_BYTES = 64

/** Creates the caches that the views of one chain share. Shares of `config.cacheBytes` bound their memory. */
export function createChainCaches({
  blocks,
  config,
  head,
  isSpare = () => false,
  native,
  prices = createEnergyPrices({ native }),
}: createChainCaches.Options) {
  return {
    /** Whole answers to log searches. */
    answers: new LRUCache<string, LogAnswer>({
      maxSize: Math.max(1, Math.floor(config.cacheBytes * ANSWERS_SHARE)),
      sizeCalculation: ({ logs, origins }, key) =>
        preparedLength(logs) + origins.length * ORIGIN_BYTES + key.length + ANSWER_BYTES,
    }),
    prices,
    slim: createSlimBlocks({
      baseFee: async (block) => (config.feeSignal === 'eip1559' ? prices.of(block) : undefined),
      blocks,
      cache: createSolidCache({ blocks, bytes: Math.floor(config.cacheBytes * SLIM_SHARE) }),
      isSpare: () => config.cacheBytes > 0 && isSpare(),
      native,
      newest: () => head.solid().number,
    }),
    spans: createBlockSpans({
      blocks,
      cache: createSolidCache({ blocks, bytes: Math.floor(config.cacheBytes * LOGS_SHARE) }),
      concurrency: config.logsConcurrency,
      head,
      native,
    }),
  }
}

export declare namespace createChainCaches {
  type Options = {
    native: NativeClient
    head: CanonicalView
    blocks: Blocks
    config: Pick<Config, 'cacheBytes' | 'feeSignal' | 'logsConcurrency'>
    /** See `createBlocks`. */
    isSpare?: (() => boolean) | undefined
    /** Pass those of the head where it has them. */
    prices?: EnergyPrices
  }
}
