import { join } from 'node:path'

import type { Address } from 'viem'

import { FileInUseError, lockFile } from '../lib/lockFile.ts'
import type { RedisLink } from '../lib/redis.ts'
import { stateFolder } from '../lib/stateFolder.ts'
import type { NativeClient } from '../native/client.ts'
import { assertSameRecord } from './emptyRecord.ts'
import { createFileSentStore } from './fileSentStore.ts'
import { createMemorySentStore } from './memorySentStore.ts'
import { watchRedisSettings } from './redisSettings.ts'
import type { SentStore } from './sentStore.ts'
import { createSharedSentStore } from './sharedSentStore.ts'

/** An open store, and the function that closes it. */
export type OpenSentStore = {
  store: SentStore
  /** Called before a transaction of a managed account is recorded. @throws RpcError when its record might not be kept, or was lost */
  assertKept(account: Address): Promise<void>
  /** Why the record might not be kept, as text for operators; undefined if it is. */
  problem(): string | undefined
  close(): Promise<void>
}

/**
 * Opens the record of sent transactions. With managed keys it must outlive the process, otherwise an old Ethereum
 * transaction could be signed and paid again. It is in Redis if replicas share one, otherwise in a file. Without managed
 * keys the gateway signs nothing, and the chain rejects duplicates.
 *
 * @throws DataDirError when the file cannot be used.
 */
export async function openSentStore(options: openSentStore.Options): Promise<OpenSentStore> {
  const { chainId, dataDir, genesis, hasKeys, isInProcess, isNew, log, native, redis } = options
  // A chain in this process ends with it.
  const mustLast = hasKeys && !isInProcess
  const assertNotLost = (store: SentStore) =>
    isNew ? KEPT.assertKept : (account: Address) => assertSameRecord(account, native, store)
  if (redis) {
    const store = createSharedSentStore({ redis })
    const close = async () => store.close()
    if (!hasKeys) return { ...KEPT, store, close }
    const settings = watchRedisSettings({ log, redis })
    const assertSame = isInProcess ? KEPT.assertKept : assertNotLost(store)
    return {
      store,
      problem: settings.problem,
      async assertKept(account) {
        await settings.assertKept()
        let run: string
        do {
          run = await store.settled()
          await assertSame(account)
          // Its record may have been lost meanwhile.
        } while (run !== (await store.settled()))
      },
      async close() {
        settings.close()
        store.close()
      },
    }
  }
  const folder = stateFolder(dataDir)
  if (folder !== undefined && (dataDir !== undefined || mustLast)) {
    const opened = await openFile(join(folder, chainId.toString(16)), genesis)
    return { ...opened, assertKept: assertNotLost(opened.store) }
  }
  if (mustLast)
    log.warn(
      'sent transactions are recorded in memory only (--data-dir none): after a restart the gateway may sign and send an old Ethereum transaction again',
    )
  return { store: createMemorySentStore(), ...KEPT }
}

export declare namespace openSentStore {
  type Options = {
    chainId: number
    /** A folder, or `none` for memory. @default the user's state folder */
    dataDir: string | undefined
    genesis: string
    /** Whether the gateway has managed keys. */
    hasKeys: boolean
    /** Whether the chain is in this process and ends with it, so that the record may end too. */
    isInProcess: boolean
    /** Whether the operator says that a record without anything is new. */
    isNew: boolean
    log: watchRedisSettings.Options['log']
    native: NativeClient
    redis: Pick<RedisLink, 'assertCopied' | 'key' | 'onStatus' | 'run' | 'script'> | undefined
  }
}

/** A store that keeps its record by itself and needs no end. */
const KEPT = { assertKept: async () => {}, problem: () => undefined, close: async () => {} }

async function openFile(folder: string, genesis: string): Promise<OpenSentStore> {
  let unlock: (() => void) | undefined
  try {
    const free = (unlock = await lockFile(join(folder, 'lock')))
    const store = createFileSentStore({ file: join(folder, 'sent.jsonl'), genesis })
    await store.open()
    return {
      ...KEPT,
      store,
      problem() {
        const problem = store.problem()
        return problem && `sent transactions cannot be written to the data folder: ${problem}`
      },
      async close() {
        await store.close()
        free()
      },
    }
  } catch (cause) {
    unlock?.()
    throw new DataDirError(folder, cause)
  }
}

/** The record of sent transactions cannot be opened. The gateway does not start without it. */
export class DataDirError extends Error {
  override name = 'DataDirError'

  constructor(folder: string, cause: unknown) {
    const reason = (cause as Error).message
    const advice =
      cause instanceof FileInUseError
        ? 'replicas of one chain share a Redis (--redis); other gateways need a folder each (--data-dir)'
        : 'give another folder with --data-dir FOLDER, or record them in memory only with --data-dir none'
    super(`sent transactions cannot be recorded in ${folder}: ${reason}; ${advice}`, { cause })
  }
}
