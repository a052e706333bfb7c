import { LRUCache } from 'lru-cache'

import type { Hex } from '../../native/wire/types.ts'
import { BLOCKS_LAYOUT } from '../engine/engine.ts'
import { openEngine } from '../engine/open.ts'
import { hourOf, idKey, keysOf, restore, type Row, type StoredBlock, unpackRow } from './row.ts'

/** Reads a store of final blocks. */
export type StoreReader = Awaited<ReturnType<typeof openStoreReader>>

/** Memory for rows that were read: clients read the outcomes after the block, and often its neighbours. */
const RECENT_BYTES = 8 * 1024 * 1024
const RECENT_BLOCKS = 32

const HOUR = 3_600_000

/** Opens a store of blocks for reading. @throws IndexError */
export async function openStoreReader({
  address,
  now = Date.now,
  onDamage,
  onUse,
}: openStoreReader.Options) {
  const engine = await openEngine(address, { layout: BLOCKS_LAYOUT, mustExist: true })
  const rows = new LRUCache<string, Row>({
    maxSize: RECENT_BYTES,
    sizeCalculation: (row) => {
      let bytes = 1_000
      for (const { block, outcomes } of row.values()) bytes += block.length + outcomes.length
      return bytes
    },
  })
  const blocks = new LRUCache<number, StoredBlock>({ max: RECENT_BLOCKS })

  async function find(number: number): Promise<StoredBlock | undefined> {
    const keys = keysOf(number)
    for (const key of keys) {
      const block = rows.get(key.toString('latin1'))?.get(number)
      if (block) return block
    }
    const values = await engine.read((view) => view.get('blocks', keys))
    for (const [index, value] of values.entries()) {
      if (!value) continue
      const key = keys[index] as Buffer
      const row = unpackRow(key, value)
      rows.set(key.toString('latin1'), row)
      if (hourOf(value) < Math.floor(now() / HOUR)) onUse(number)
      const block = row.get(number)
      if (block) return block
    }
    return undefined
  }

  return {
    /** A block with the outcomes of its transactions. Undefined when it is not stored, or damaged. @throws Error of the storage */
    async get(number: number): Promise<StoredBlock | undefined> {
      const known = blocks.get(number)
      if (known) return known
      let found: StoredBlock | undefined
      try {
        const short = await find(number)
        found = short && restore(short)
      } catch (error) {
        onDamage(number, error as Error)
      }
      if (found) blocks.set(number, found)
      return found
    },
    /** The height at which a transaction may be: a part of its id is compared. @throws Error of the storage */
    async heightOf(id: Hex): Promise<number | undefined> {
      const [value] = await engine.read((view) => view.get('heights', [idKey(id)]))
      return value?.readUInt32BE()
    },
    /** Forgets what it has read, because blocks were removed. */
    clear(): void {
      rows.clear()
      blocks.clear()
    },
    close: () => engine.close(),
  }
}

export declare namespace openStoreReader {
  type Options = {
    address: string
    /** Milliseconds. @default Date.now */
    now?: () => number
    /** A block cannot be read: its row is damaged, or the storage failed. */
    onDamage: (number: number, error: Error) => void
    /** A block was read whose row was not used in this hour. */
    onUse: (number: number) => void
  }
}
