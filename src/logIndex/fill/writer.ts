import type { NativeClient } from '../../native/client.ts'
import type { Engine } from '../engine/engine.ts'
import { openEngine } from '../engine/open.ts'
import { firstOf, lastOf, type Segment } from '../store/coverage.ts'
import { type Facts, openFacts } from '../store/facts.ts'
import { createIndexStore, type IndexStore } from '../store/store.ts'
import { createClaims, ownerName } from './claims.ts'
import { type Added, createFiller, type Filler } from './filler.ts'
import { createPace, type Pace } from './pace.ts'
import { createBlockReader, type FillSource } from './source.ts'

/** Milliseconds until a claim expires: after this time others take over the work of a replica that was killed. */
const LEASE = 30_000

/** An index opened for writing. */
export type IndexWriter = {
  readonly engine: Engine
  readonly facts: Facts
  readonly filler: Filler
  readonly pace: Pace
  readonly store: IndexStore
  /**
   * Compares the last block of each segment with the node's chain, from the newest down, and removes segments of an
   * abandoned branch.
   *
   * @returns the first block that was removed; undefined when there was none.
   */
  reconcile(signal?: AbortSignal): Promise<number | undefined>
  close(): Promise<void>
}

/** Opens an index for writing. @throws IndexError when it cannot be opened, or is of another chain. */
export async function openIndexWriter({
  address,
  addresses,
  concurrency,
  genesis,
  native,
  onAdded,
  rate,
}: openIndexWriter.Options): Promise<IndexWriter> {
  const engine = await openEngine(address)
  try {
    const facts = await openFacts(engine, { addresses, genesis })
    const store = createIndexStore({ engine, facts })
    const pace = createPace({ concurrency, rate })
    const reader = createBlockReader({ native, pace })
    const claims = createClaims({ engine, lease: LEASE, owner: ownerName() })
    const filler = createFiller({
      claims,
      engine,
      reader,
      renewEvery: LEASE / 3,
      store,
      ...(onAdded && { onAdded }),
    })

    async function isCanonical(
      segment: Segment,
      signal: AbortSignal | undefined,
    ): Promise<boolean> {
      const block = await pace.run(() =>
        native.wallet.getBlock({ id_or_num: String(lastOf(segment)), detail: false }, { signal }),
      )
      return block?.blockID === segment.lastHash
    }

    return {
      engine,
      facts,
      filler,
      pace,
      store,
      async reconcile(signal) {
        const segments = await store.segments()
        let wrong: Segment | undefined
        // Neighbouring segments are linked, so all below a good one are good, down to the next gap.
        for (const [index, segment] of [...segments.entries()].toReversed()) {
          const above = segments[index + 1]
          const isLinked = above !== undefined && lastOf(segment) + 1 === firstOf(above)
          if (isLinked && above !== wrong) continue
          if (!(await isCanonical(segment, signal))) wrong = segment
        }
        if (!wrong) return undefined
        const from = firstOf(wrong)
        await store.truncate(from)
        return from
      },
      close: () => engine.close(),
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}

export declare namespace openIndexWriter {
  type Options = {
    /** A directory, or `postgres://…`. */
    address: string
    /** Contracts whose logs are kept, hex without `0x`. Absent takes what the index has, or all. */
    addresses?: readonly string[] | undefined
    /** Calls to the node in flight. */
    concurrency: number
    /** Hash of block 0, hex without `0x`. */
    genesis: string
    native: FillSource & { wallet: Pick<NativeClient['wallet'], 'getBlock'> }
    onAdded?: (added: Added) => void
    /** Calls to the node a second. */
    rate: number
  }
}
