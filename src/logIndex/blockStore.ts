import { createKeeper } from './blocks/keeper.ts'
import { type StoreReader, openStoreReader } from './blocks/storeReader.ts'
import type { BlockSource } from './blocks/throughStore.ts'
import type { Usage } from './blocks/writer.ts'
import { nameOf } from './engine/open.ts'
import type { BlockWriterData, BlockWriterEvent } from './worker/blockWriter.ts'
import { createThread } from './worker/thread.ts'

/** Milliseconds before a writer that ended is started again; longer after each failure. */
const RESTART_DELAY = 5_000

/** Milliseconds without writes after one failed, such as on a full disk. */
const PAUSE = 60_000

/** Milliseconds between two lines about a store that fails again and again. */
const LOG_EVERY = 3_600_000

/**
 * The store of final blocks of a gateway: read here, written by a thread. A store that fails answers nothing, so the nodes do; that is
 * logged once. It can be read once the writer has checked it: `onOpen` is called then.
 */
export function createBlockStore({ log, onOpen, ...data }: createBlockStore.Options) {
  const name = nameOf(data.address)
  let reader: StoreReader | undefined
  let opening: Promise<void> | undefined
  let usage: Usage | undefined
  let problem: string | undefined
  let damaged = 0
  let pausedUntil = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  const told = new Set<string>()

  function failed(error: Error): void {
    const now = performance.now()
    if (problem === undefined && now - loggedAt > LOG_EVERY) {
      loggedAt = now
      log.error({ err: error }, `the store of blocks ${name} does not work, nodes answer instead`)
    }
    problem = error.message
    pausedUntil = now + PAUSE
  }

  /** Logs the first problem of a kind. */
  function tell(kind: string, message: string): void {
    if (told.has(kind)) return
    told.add(kind)
    log.warn(`the store of blocks ${name}: ${message}`)
  }

  async function open(): Promise<void> {
    reader = await openStoreReader({
      address: data.address,
      onDamage(number, error) {
        damaged++
        tell('damaged', `block ${number} cannot be read and comes from a node: ${error.message}`)
      },
      onUse: (number) => keeper.use(number),
    })
    onOpen(usage)
  }

  const thread = createThread({
    data: data satisfies BlockWriterData,
    name: 'blockWriter',
    onError: failed,
    onEvent(event) {
      const given = event as BlockWriterEvent
      if (given.kind === 'problem') return tell(given.message.replaceAll(/\d+/g, ''), given.message)
      usage = given.usage
      if (performance.now() >= pausedUntil) problem = undefined
      opening ??= open().catch((error: Error) => {
        failed(error)
        opening = undefined
      })
    },
    restartDelay: RESTART_DELAY,
  })
  const keeper = createKeeper(async (parts, used) => {
    // The thread reports when it works again.
    await thread.call('add', { parts, used }).catch((error: Error) => reader && failed(error))
  })

  const source: Omit<BlockSource, 'solid'> = {
    get: async (number) => reader?.get(number),
    heightOf: async (id) => reader?.heightOf(id),
    keep(part) {
      if (performance.now() >= pausedUntil) keeper.keep(part)
    },
  }

  return {
    ...source,
    start: () => thread.start(),
    async stop() {
      await keeper.end()
      await thread.stop('stop')
      await opening
      await reader?.close()
      reader = undefined
    },
    /** Removes a height and all above it. @throws Error when that failed */
    async dropFrom(number: number) {
      await thread.call('dropFrom', number)
      reader?.clear()
    },
    /** What is stored, as far as it is known. */
    usage: () => usage,
    /** Reads that found a damaged row. */
    damaged: () => damaged,
    /** Why it does not work, as text. */
    problem: () => problem,
  }
}

export declare namespace createBlockStore {
  type Options = BlockWriterData & {
    log: { warn(message: string): void; error(fields: object, message: string): void }
    onOpen: (usage: Usage | undefined) => void
  }
}
