import { join } from 'node:path'

import { openFileFilterStore } from '../../chain/filters/file.ts'
import { createMemoryFilterStore } from '../../chain/filters/memory.ts'
import { createRedisFilterStore } from '../../chain/filters/redis.ts'
import { type FilterLimits, type FilterStore, PAGE_LEASE } from '../../chain/filters/store.ts'
import type { Config } from '../../config/config.ts'
import { RpcError } from '../../lib/errors.ts'
import type { HeldBytes } from '../../lib/heldBytes.ts'
import type { RedisLink } from '../../lib/redis.ts'
import { stateFolder } from '../../lib/stateFolder.ts'

/** The options that limit filters and cursors. */
export type FilterConfig = Pick<
  Config,
  'filterBytesPerClient' | 'filterBytesTotal' | 'filtersPerClient' | 'filtersTotal'
>

/** The limits of a store of filters or cursors. @param ttl - seconds without use after which one expires */
export function filterLimits(config: FilterConfig, ttl: number): FilterLimits {
  return {
    bytesPerClient: config.filterBytesPerClient,
    bytesTotal: config.filterBytesTotal,
    lease: PAGE_LEASE,
    perClient: config.filtersPerClient,
    total: config.filtersTotal,
    ttl: ttl * 1_000,
  }
}

/** Keeps named cursors in Redis if there is one, with a chain in this process in memory, otherwise in the data directory. Nothing is opened before the first use. */
export function createCursorStore({
  chainId,
  config,
  genesis,
  held,
  isInProcess,
  redis,
}: createCursorStore.Options) {
  const limits = filterLimits(config, config.cursorTtl)
  let opened: Promise<{ store: FilterStore; close?: () => Promise<void> }> | undefined
  let problem: () => string | undefined = () => undefined

  async function open() {
    if (redis) return { store: createRedisFilterStore({ ...limits, link: redis, name: 'cursor' }) }
    if (isInProcess) return { store: createMemoryFilterStore({ ...limits, held }) }
    const folder = stateFolder(config.dataDir)
    if (folder === undefined)
      throw new RpcError(-32000, 'named cursors need --redis or a --data-dir to be kept in')
    const file = await openFileFilterStore({
      ...limits,
      held,
      folder: join(folder, chainId.toString(16)),
      genesis,
      name: 'cursors',
    })
    problem = () => file.problem()
    return file
  }

  return {
    /** @throws RpcError when cursors cannot be kept */
    async open() {
      // The next call tries again.
      opened ??= open().catch((error: unknown) => {
        opened = undefined
        throw error
      })
      return (await opened).store
    },
    /** Why cursors could not be written the last time, for operators. */
    problem() {
      const reason = problem()
      return reason && `named cursors cannot be written to the data folder: ${reason}`
    },
    async close() {
      const store = await opened?.catch(() => undefined)
      await store?.close?.()
    },
  }
}

export declare namespace createCursorStore {
  type Options = {
    chainId: number
    config: FilterConfig & Pick<Config, 'cursorTtl' | 'dataDir'>
    /** Hash of block 0. */
    genesis: string
    /** Whether the chain is in this process and ends with it, so that cursors may end too. */
    isInProcess: boolean
    /** The bytes that are held for clients. */
    held: HeldBytes
    redis: RedisLink | undefined
  }
}
