import type { BlockRange } from '../../chain/reads/blockRange.ts'
import { sleep } from '../../lib/sleep.ts'
import type { Engine } from '../engine/engine.ts'
import { canMerge, MERGE_WORK, mergeIndex } from '../store/merge.ts'
import type { IndexStore } from '../store/store.ts'
import type { Claims } from './claims.ts'
import { missingSegments, type MissingSegment } from './segments.ts'
import type { BlockReader } from './source.ts'

/** Which end of a range is filled first. */
export type Order = 'newest' | 'oldest'

/** Blocks and logs that were added to an index. */
export type Added = { blocks: number; logs: number }

/** Units that are read at once, so that one is read while another is written. */
const UNITS = 2

/** Milliseconds before the claims of others are checked again. */
const CLAIMED_DELAY = 2_000

/** Fills ranges of an index from a node. */
export function createFiller({
  claims,
  engine,
  onAdded = () => {},
  renewEvery,
  reader,
  store,
}: createFiller.Options) {
  /** Runs a task while this process holds the claim. @returns false when another replica has it. */
  async function withClaim(work: string, task: () => Promise<void>): Promise<boolean> {
    if (!(await claims.take(work))) return false
    // If renewing fails, the work may be done twice, which does no harm.
    const renewing = setInterval(() => void claims.take(work).catch(() => {}), renewEvery)
    try {
      await task()
      return true
    } finally {
      clearInterval(renewing)
      await claims.release(work).catch(() => {})
    }
  }

  /** @returns false when another replica has it. */
  function fillSegment(
    { from, level, to }: MissingSegment,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    return withClaim(`unit ${from} ${to}`, async () => {
      const logs = await store.append(level, reader.read(from, to, { signal }))
      if (logs !== undefined) onAdded({ blocks: to - from + 1, logs })
    })
  }

  let merging: Promise<void> | undefined

  /** Merges what can be merged. Only one merge runs at a time. */
  function merge(signal: AbortSignal | undefined): Promise<void> {
    merging ??= (async () => {
      if (await canMerge(engine)) await withClaim(MERGE_WORK, () => mergeIndex(engine, signal))
    })().finally(() => {
      merging = undefined
    })
    return merging
  }

  return {
    /**
     * Reads and writes the missing blocks of a range, in whole groups of 64. Can be interrupted at any moment and called again.
     * Work that another replica has claimed is left to it, and taken over when its claim expires.
     *
     * @throws UpstreamError, BrokenChainError, or the signal's reason
     */
    async complete(range: BlockRange, order: Order, signal?: AbortSignal): Promise<void> {
      for (;;) {
        const segments = missingSegments(await store.coverage(), range)
        if (order === 'newest') segments.reverse()
        if (segments.length === 0) break
        let claimed = 0
        let failure: { error: unknown } | undefined
        let next = 0
        const work = async () => {
          while (!failure) {
            const segment = segments[next++]
            if (!segment) return
            try {
              signal?.throwIfAborted()
              if (await fillSegment(segment, signal)) await merge(signal)
              else claimed += 1
            } catch (error) {
              failure ??= { error }
            }
          }
        }
        await Promise.all(Array.from({ length: UNITS }, work))
        if (failure) throw failure.error
        if (claimed > 0) await sleep(CLAIMED_DELAY, signal)
      }
    },
  }
}

export declare namespace createFiller {
  type Options = {
    claims: Claims
    engine: Engine
    reader: BlockReader
    store: IndexStore
    /** Milliseconds between renewals of a claim: less than its lease. */
    renewEvery: number
    onAdded?: (added: Added) => void
  }
}
