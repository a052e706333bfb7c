import type { Hash } from 'viem'

import { RpcError } from '../../lib/errors.ts'
import { StoreUnavailableError } from '../../lib/redis.ts'
import { sleep } from '../../lib/sleep.ts'
import { createCatchUp } from './catchUp.ts'
import type { JournalEntry } from './headJournal.ts'
import type { HeadLog } from './headTypes.ts'
import { relationOf, toUpdate } from './reconcile.ts'
import { newestOf } from './window.ts'

/** Milliseconds until the next read of an empty journal, or after a failure. */
const IDLE = 100
const RETRY = 200

/** Applies the updates of the journal to the window of this process. It starts at the call of `run`. */
export function createJournalReader(options: createJournalReader.Options) {
  const { isConnected, journal, log, own } = options
  const catchUp = createCatchUp(options)
  const life = { stopped: false }
  /** The id of the last entry that was read. */
  let cursor: string | undefined
  let shared: Hash | undefined
  /** The last logged failure, so that a repeated failure is logged once. */
  let logged: string | undefined

  function newestHash(): Hash | undefined {
    const window = own.window()
    return window && newestOf(window).hash
  }

  async function rebuild(): Promise<void> {
    const snapshot = await catchUp.rebuild()
    cursor = snapshot ? snapshot.position : (cursor ?? '0-0')
    const tip = snapshot?.blocks.at(-1)?.hash
    if (tip !== undefined && newestHash() === tip) shared = tip
  }

  /** Applies an entry of the stream. True when it rebuilt the window instead, which changed the cursor. */
  async function applyEntry(entry: JournalEntry): Promise<boolean> {
    const relation = relationOf(own.window(), entry)
    if (relation === 'known') {
      if (newestHash() === entry.tip) shared = entry.tip
      return false
    }
    if (relation === 'elsewhere') {
      await rebuild()
      return true
    }
    const added = await catchUp.contents(entry.added.map(({ hash }) => hash))
    // The leader applies its own updates itself, perhaps while this code waits.
    const next = () => {
      const window = own.window()
      return window && entry.prev === newestOf(window).hash
        ? toUpdate(window, entry, added, own.first())
        : undefined
    }
    const planned = next()
    if (planned) await own.prepare(planned)
    const update = next()
    if (!update) return false
    own.apply(update)
    shared = entry.tip
    return false
  }

  async function readOn(from: string): Promise<void> {
    let at = from
    for (const { entry, position } of await journal.read(from)) {
      // Without its position the window is independent, and a rebuild has a newer one.
      if (cursor !== at) return
      try {
        if (!entry) throw new Error('the entry is not readable')
        if ((await applyEntry(entry)) || cursor !== at) return
        cursor = at = position
      } catch (error) {
        if (error instanceof RpcError) throw error
        if (cursor !== at) return
        // A later attempt could not apply this entry either. The rebuilt window contains its blocks.
        logOnce(error, 'skipped an entry of the journal that cannot be applied', { position })
        cursor = position
        await rebuild()
        return
      }
    }
    logged = undefined
  }

  /** The connection logs that Redis is unreachable. */
  function logOnce(error: unknown, message: string, fields: object = {}): void {
    const { message: reason } = error as Error
    if (error instanceof StoreUnavailableError || reason === logged) return
    logged = reason
    log.warn({ ...fields, reason }, message)
  }

  const pause = (milliseconds: number) => sleep(life.stopped ? 0 : milliseconds)

  return {
    /** Whether this process knows that the journal has our newest block. */
    isShared: () => shared !== undefined && newestHash() === shared,
    /** Records that the journal has one of our blocks. */
    markShared(hash: Hash | undefined): void {
      if (hash !== undefined) shared = hash
    },
    /** Whether the next stream position is known. */
    isReady: () => cursor !== undefined,
    /**
     * Adds the journal's blocks that the window lacks, and continues to read after them. False when the node did not return
     * a missing block. @throws StoreUnavailableError
     */
    async rebuild(): Promise<boolean> {
      try {
        await rebuild()
        return true
      } catch (error) {
        if (error instanceof StoreUnavailableError) throw error
        logOnce(error, 'the window of the other replicas cannot be loaded')
        return false
      }
    },
    /** Drops the stream position: the window is independent of the journal until the next rebuild. */
    reset(): void {
      cursor = undefined
      shared = undefined
    },
    /** Reads entries until `stop`. */
    async run(): Promise<void> {
      while (!life.stopped) {
        const from = cursor
        if (from === undefined || !isConnected()) {
          await pause(IDLE)
          continue
        }
        await readOn(from).catch(async (error: unknown) => {
          logOnce(error, 'the updates of the leader cannot be applied')
          await pause(RETRY)
        })
      }
    },
    stop(): void {
      life.stopped = true
      journal.close()
    },
  }
}

export declare namespace createJournalReader {
  type Options = createCatchUp.Options & {
    /** Whether there is a connection to Redis. */
    isConnected: () => boolean
    log: HeadLog
  }
}
