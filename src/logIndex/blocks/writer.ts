import { readOutline } from '../../native/grpc/messages.ts'
import { itemsOf } from '../../native/protobuf/fields.ts'
import type { BlockOutline } from '../../native/wire/blockOutline.ts'
import { type Batch, BLOCKS_LAYOUT, type Entry, IndexError, type View } from '../engine/engine.ts'
import { openEngine } from '../engine/open.ts'
import { createHalves, type Part, type Whole } from './halves.ts'
import {
  FORMAT,
  hourOf,
  idKey,
  keyFor,
  keysOf,
  packRow,
  type Row,
  rowKey,
  type StoredBlock,
  unpackRow,
} from './row.ts'

/** What a store has, as its writers count it. */
export type Usage = {
  format: number
  genesis: string
  /** Bytes that count towards the limit: about those on disk. */
  bytes: number
  blocks: number
  transactions: number
  /** The highest block that was ever stored: it shows whether the chain is still the same. */
  newest?: { number: number; id: string } | undefined
}

/** A store of blocks, opened for writing. */
export type BlockWriter = Awaited<ReturnType<typeof openBlockWriter>>

const FACTS = Buffer.from('store')
const HOUR = 3_600_000

/** Bytes on disk of a row without its value, and of the height of a transaction. */
const ROW_BYTES = 60
const HEIGHT_BYTES = 30

/** Rows that are looked through at once when old ones are removed. */
const STEP = 100

/**
 * Opens a store of final blocks for writing, a new one when there is none.
 *
 * @throws IndexError when it cannot be opened, or has another chain or layout
 */
export async function openBlockWriter({
  address,
  genesis,
  limit,
  now = Date.now,
  onProblem,
}: openBlockWriter.Options) {
  const engine = await openEngine(address, { isWriter: true, layout: BLOCKS_LAYOUT })
  const halves = createHalves(onProblem)
  let usage: Usage
  try {
    usage = await engine.write(async (batch) => {
      const found = await usageIn(batch, genesis)
      if (found.format !== FORMAT)
        throw new IndexError(`the store of blocks has layout ${found.format}, not ${FORMAT}`)
      if (found.genesis !== genesis)
        throw new IndexError(
          `the store of blocks belongs to another chain (its block 0 is 0x${found.genesis}, the node’s is 0x${genesis})`,
        )
      await putUsage(batch, found)
      return found
    })
  } catch (error) {
    await engine.close()
    throw error
  }

  /** The rows of a transaction as it reads and changes them. */
  function rowsIn(batch: Batch, counted: Usage) {
    const rows = new Map<string, Stored>()

    async function load(keys: readonly Buffer[]): Promise<void> {
      const wanted = new Map(keys.map((key) => [key.toString('hex'), key]))
      const missing = [...wanted].filter(([name]) => !rows.has(name))
      const values = await batch.get(
        'blocks',
        missing.map(([, key]) => key),
      )
      for (const [index, [name, key]] of missing.entries()) {
        const value = values[index]
        rows.set(name, { key, value, row: value ? readRow(key, value) : new Map() })
      }
    }

    function readRow(key: Buffer, value: Buffer): Row {
      try {
        return unpackRow(key, value)
      } catch (error) {
        onProblem(`a damaged row is removed: ${(error as Error).message}`)
        return new Map()
      }
    }

    /** Writes a row in its new state, or removes it when it has no block. */
    async function write(stored: Stored): Promise<void> {
      const { key, row, value } = stored
      if (value) {
        const before = useKey(hourOf(value), key)
        const [charge] = await batch.get('uses', [before])
        counted.bytes -= chargeIn(charge)
        await batch.delete('uses', [before])
      }
      stored.value = undefined
      if (row.size === 0) return batch.delete('blocks', [key])
      const hour = Math.floor(now() / HOUR)
      const next = (stored.value = packRow(key, row, hour))
      const charge = next.length + ROW_BYTES + HEIGHT_BYTES * countIn(row)
      counted.bytes += charge
      await batch.put('blocks', [{ key, value: next }])
      await batch.put('uses', [{ key: useKey(hour, key), value: Buffer.from(String(charge)) }])
    }

    return {
      load,
      write,
      at: (key: Buffer) => rows.get(key.toString('hex')) as Stored,
      find: (number: number) =>
        keysOf(number)
          .map((key) => rows.get(key.toString('hex'))?.row.get(number))
          .find((block) => block !== undefined),
      /** Removes blocks of a row. */
      async remove(stored: Stored, isGone: (number: number) => boolean): Promise<void> {
        const ids: Buffer[] = []
        for (const [number, { block }] of stored.row) {
          if (!isGone(number)) continue
          const { txIDs } = readOutline(block) as BlockOutline
          ids.push(...txIDs.map(idKey))
          stored.row.delete(number)
          counted.blocks -= 1
          counted.transactions -= txIDs.length
        }
        await batch.delete('heights', ids)
        await write(stored)
      },
    }
  }

  /** Removes the rows that were not used for the longest time until the store is within its limit. */
  async function shrink(batch: Batch, counted: Usage): Promise<void> {
    const rows = rowsIn(batch, counted)
    while (counted.bytes > limit) {
      const oldest = await batch.range('uses', { ...ALL_KEYS, limit: STEP })
      if (oldest.length === 0) return
      await rows.load(oldest.map(({ key }) => key.subarray(4)))
      for (const { key, value } of oldest) {
        if (counted.bytes <= limit) return
        // Also where the row is damaged or gone.
        await batch.delete('uses', [key])
        counted.bytes -= chargeIn(value)
        await rows.remove(rows.at(key.subarray(4)), () => true)
      }
    }
  }

  async function store(batch: Batch, wholes: ReadonlyMap<number, Whole>, counted: Usage) {
    const rows = rowsIn(batch, counted)
    const numbers = [...wholes.keys()].toSorted((a, b) => a - b)
    await rows.load(
      numbers
        .flatMap((number) => [number - 1, number, number + 1])
        .filter((n) => n >= 0)
        .flatMap(keysOf),
    )
    const changed = new Set<Stored>()
    const heights = new Map<string, Entry>()
    for (const number of numbers) {
      const { outline, stored } = wholes.get(number) as Whole
      if (rows.find(number)) continue
      const strangers = [number - 1, number + 1].filter(
        (near) => near >= 0 && !isLinked(near, rows.find(near), outline),
      )
      if (strangers.length > 0) {
        onProblem(`block ${number} does not link to its neighbours: they are removed`)
        for (const near of strangers)
          for (const key of keysOf(near)) await rows.remove(rows.at(key), (at) => at === near)
        continue
      }
      const to = rows.at(keyFor(number, stored))
      to.row.set(number, stored)
      changed.add(to)
      counted.blocks += 1
      counted.transactions += outline.txIDs.length
      const value = rowKey(number, true).subarray(4, 8)
      for (const id of outline.txIDs) {
        const key = idKey(id)
        heights.set(key.toString('hex'), { key, value })
      }
      if (number >= (counted.newest?.number ?? 0)) counted.newest = { number, id: outline.blockID }
    }
    for (const row of changed) await rows.write(row)
    await batch.put('heights', [...heights.values()])
  }

  async function change(run: (batch: Batch, counted: Usage) => Promise<void>): Promise<void> {
    usage = await engine.write(async (batch) => {
      const counted = await usageIn(batch, genesis)
      await run(batch, counted)
      await putUsage(batch, counted)
      return counted
    })
  }

  return {
    /**
     * Adds answers, and notes which blocks were read. A block is stored when both halves are there and fit together.
     *
     * @throws Error when the storage fails
     */
    async add(parts: readonly Part[], used: readonly number[] = []): Promise<void> {
      const wholes = halves.join(parts)
      if (wholes.size === 0 && used.length === 0) return
      await change(async (batch, counted) => {
        const rows = rowsIn(batch, counted)
        await rows.load(used.flatMap(keysOf))
        const touched = used.flatMap(keysOf).map((key) => rows.at(key))
        for (const row of new Set(touched)) if (row.value) await rows.write(row)
        await store(batch, wholes, counted)
        await shrink(batch, counted)
      })
    },
    /** Removes a height and all above it: the chain has others there now. */
    async dropFrom(number: number): Promise<void> {
      halves.clear()
      await change(async (batch, counted) => {
        const rows = rowsIn(batch, counted)
        let from = rowKey(number, false)
        for (;;) {
          const found = await batch.range('blocks', { from, to: ALL_KEYS.to, limit: STEP })
          const last = found.at(-1)
          if (!last) break
          await rows.load(found.map(({ key }) => key))
          for (const { key } of found) await rows.remove(rows.at(key), (at) => at >= number)
          from = Buffer.concat([last.key, Buffer.alloc(1)])
        }
        counted.newest = undefined
      })
    },
    /** What the store had when this writer last changed or read it. */
    usage: () => usage,
    /** Reads what other writers have changed. */
    async refresh(): Promise<void> {
      usage = await engine.read((view) => usageIn(view, genesis))
    },
    close: () => engine.close(),
  }
}

export declare namespace openBlockWriter {
  type Options = {
    /** A directory, or `postgres://…`. */
    address: string
    /** Hash of block 0, hex without `0x`. */
    genesis: string
    /** Bytes that the store may have. */
    limit: number
    /** Milliseconds. @default Date.now */
    now?: () => number
    /** Learns why something is not stored, or was removed. */
    onProblem: (message: string) => void
  }
}

async function usageIn(view: View, genesis: string): Promise<Usage> {
  const [value] = await view.get('facts', [FACTS])
  return value
    ? (JSON.parse(value.toString()) as Usage)
    : { format: FORMAT, genesis, bytes: 0, blocks: 0, transactions: 0 }
}

function putUsage(batch: Batch, usage: Usage): Promise<void> {
  return batch.put('facts', [{ key: FACTS, value: Buffer.from(JSON.stringify(usage)) }])
}

/** A row, and its value before the transaction; undefined when there was none. */
type Stored = { key: Buffer; value: Buffer | undefined; row: Row }

const ALL_KEYS = { from: Buffer.alloc(0), to: Buffer.alloc(14, 255) }

function useKey(hour: number, key: Buffer): Buffer {
  const start = Buffer.alloc(4)
  start.writeUInt32BE(hour)
  return Buffer.concat([start, key])
}

/** The bytes that a row counts. */
const chargeIn = (value: Buffer | undefined): number => Number(value?.toString() ?? 0)

function countIn(row: Row): number {
  let count = 0
  for (const { outcomes } of row.values()) count += itemsOf(outcomes).length
  return count
}

/** Whether a neighbour that is stored is of the same branch; true without one. */
function isLinked(
  near: number,
  neighbour: StoredBlock | undefined,
  outline: BlockOutline,
): boolean {
  const other = neighbour && readOutline(neighbour.block)
  if (!other) return true
  const [parent, child] =
    near < (outline.block_header.raw_data.number ?? 0) ? [other, outline] : [outline, other]
  return child.block_header.raw_data.parentHash === parent.blockID
}
