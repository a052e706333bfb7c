import { IndexError } from '../engine/engine.ts'
import { openEngine } from '../engine/open.ts'
import { firstOf } from '../store/coverage.ts'
import { openFacts } from '../store/facts.ts'
import { createIndexStore } from '../store/store.ts'
import { createClaims, ownerName } from './claims.ts'
import { type Added, createFiller } from './filler.ts'
import { createPace } from './pace.ts'
import { type AskNodes, findOrphans, solidBlock, type SolidSource } from './reconcile.ts'
import { createBlockReader, type FillSource } from './source.ts'

/** Milliseconds until a claim expires: after this time others take over the work of a replica that was killed. */
const LEASE = 30_000

/** An index opened for writing. */
export type IndexWriter = Awaited<ReturnType<typeof openIndexWriter>>

/** Opens an index for writing. @throws IndexError when it cannot be opened, or is of another chain. */
export async function openIndexWriter({
  address,
  addresses,
  ask = async (number, signal) => [
    (await solidBlock(native, { id_or_num: String(number) }, signal))?.hash,
  ],
  concurrency,
  genesis,
  native,
  onAdded,
  rate,
}: openIndexWriter.Options) {
  const engine = await openEngine(address, { isWriter: true })
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

    return {
      engine,
      facts,
      filler,
      pace,
      store,
      /**
       * Compares the index with the solidified chain and removes segments of an abandoned branch (see `findOrphans`).
       *
       * @returns the first block that was removed; undefined when there was none.
       * @throws IndexError when some of it cannot be compared, UpstreamError
       */
      async reconcile(signal?: AbortSignal): Promise<number | undefined> {
        const { orphans, problem } = await findOrphans(await store.segments(), {
          ask,
          native,
          signal,
        })
        await store.remove(orphans)
        if (problem !== undefined) throw new IndexError(problem)
        return orphans.length > 0 ? Math.min(...orphans.map(firstOf)) : undefined
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
    /** @default asks the node of `native` */
    ask?: AskNodes | undefined
    /** Calls to the node in flight. */
    concurrency: number
    /** Hash of block 0, hex without `0x`. */
    genesis: string
    native: FillSource & SolidSource
    onAdded?: (added: Added) => void
    /** Calls to the node a second. */
    rate: number
  }
}
