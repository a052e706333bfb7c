import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { heights, recordedBlock } from '../../../test/support/recordedBlock.ts'
import { readOutline } from '../../native/grpc/messages.ts'
import { stringifyNative } from '../../native/wire/json.ts'
import { BLOCKS_LAYOUT } from '../engine/engine.ts'
import { openEngine } from '../engine/open.ts'
import { blockFromHttp, outcomesFromHttp } from './fromHttp.ts'
import type { Part } from './halves.ts'
import { keysOf, type StoredBlock } from './row.ts'
import { type StoreReader, openStoreReader } from './storeReader.ts'
import { type BlockWriter, openBlockWriter } from './writer.ts'

const GENESIS = recordedBlock(0).block.blockID
const HOUR = 3_600_000

/** The recorded blocks as gRPC gives them. */
const recorded = heights.map((number): StoredBlock => {
  const { block, infos } = recordedBlock(number)
  return { block: blockFromHttp(block), outcomes: outcomesFromHttp(infos) }
})

const bytesOf = (number: number) => recorded[number] as StoredBlock
/** Whether a block is read as gRPC gave it. */
async function has(reader: StoreReader, number: number): Promise<boolean> {
  const { block, outcomes } = bytesOf(number)
  const found = await reader.get(number)
  return found?.block.equals(block) === true && found.outcomes.equals(outcomes)
}

const idsOf = (number: number) => readOutline(bytesOf(number).block)?.txIDs ?? []

function overGrpc(number: number): Part[] {
  const { block, outcomes } = bytesOf(number)
  return [
    { kind: 'block', number, bytes: block },
    { kind: 'outcomes', number, bytes: outcomes },
  ]
}

function overHttp(number: number): Part[] {
  const { block, infos } = recordedBlock(number)
  return [
    { kind: 'block', number, text: stringifyNative(block) },
    { kind: 'outcomes', number, text: stringifyNative(infos) },
  ]
}

/** The behavior of a store of blocks on every engine. */
export function testBlockStore({
  address,
  drop,
}: {
  address: string
  drop: () => Promise<void>
}): void {
  let writer: BlockWriter
  let reader: StoreReader
  let time = 1_000 * HOUR
  const problems: string[] = []
  const damaged: number[] = []
  const used: number[] = []
  const open = (limit = 1e9, genesis = GENESIS) =>
    openBlockWriter({
      address,
      genesis,
      limit,
      now: () => time,
      onProblem: (message) => problems.push(message),
    })
  const openReader = () =>
    openStoreReader({
      address,
      now: () => time,
      onDamage: (number) => damaged.push(number),
      onUse: (number) => used.push(number),
    })

  beforeAll(async () => {
    writer = await open()
    reader = await openReader()
  })
  beforeEach(async () => {
    await writer.dropFrom(0)
    reader.clear()
    for (const list of [problems, damaged, used]) list.length = 0
  })
  afterAll(async () => {
    await writer?.close()
    await reader?.close()
    await drop()
  })

  test('default: every block is read as gRPC gave it, and found by each of its transactions', async () => {
    await writer.add(heights.flatMap(overGrpc))
    for (const number of heights) {
      expect(await has(reader, number)).toBe(true)
      for (const id of idsOf(number)) expect(await reader.heightOf(id)).toBe(number)
    }
    expect(await reader.get(heights.length)).toBeUndefined()
    expect(await reader.heightOf('ff'.repeat(32))).toBeUndefined()
    expect(writer.usage()).toMatchObject({ blocks: heights.length, transactions: 348 })
    expect(problems).toEqual([])
  })

  test('behavior: what came over HTTP is read as gRPC gives it, also from a list', async () => {
    await writer.add(heights.slice(0, 150).flatMap(overHttp))
    const list = heights.slice(150).map((number) => recordedBlock(number).block)
    const outcomes = heights.slice(150).flatMap((number) => overHttp(number).slice(1))
    await writer.add(outcomes)
    await writer.add([{ kind: 'blocks', number: 150, text: stringifyNative({ block: list }) }])
    for (const number of heights) expect(await has(reader, number)).toBe(true)
  })

  test('behavior: a block is stored when both halves have come and fit together', async () => {
    const [block, outcomes] = overGrpc(132) as [Part, Part]
    await writer.add([block])
    expect(await reader.get(132)).toBeUndefined()
    await writer.add([{ ...(overGrpc(131)[1] as Part), number: 132 }])
    expect(await reader.get(132)).toBeUndefined()
    await writer.add([outcomes, block])
    expect(await has(reader, 132)).toBe(true)
  })

  test('behavior: an answer that is no block, or has an unknown field, is not stored', async () => {
    const { block, infos } = recordedBlock(132)
    const later = infos.map((info) => ({ ...info, later_field: 1 }))
    await writer.add([
      { kind: 'block', number: 131, text: '{"Error":"busy"}' },
      { kind: 'block', number: 132, text: stringifyNative(block) },
      { kind: 'outcomes', number: 132, text: stringifyNative(later) },
    ])
    expect(await reader.get(131)).toBeUndefined()
    expect(await reader.get(132)).toBeUndefined()
    expect(problems).toHaveLength(2)
  })

  test('behavior: a block that does not link to its neighbours is not stored, nor are they any more', async () => {
    await writer.add([10, 11, 13].flatMap(overGrpc))
    const { block, outcomes } = bytesOf(12)
    const parent = Buffer.from(recordedBlock(11).block.blockID, 'hex')
    const other = Buffer.from(block).fill(1, block.indexOf(parent), block.indexOf(parent) + 32)
    await writer.add([
      { kind: 'block', number: 12, bytes: other },
      { kind: 'outcomes', number: 12, bytes: outcomes },
    ])
    for (const number of [11, 12, 13]) expect(await reader.get(number)).toBeUndefined()
    expect(await has(reader, 10)).toBe(true)
    expect(problems).toHaveLength(1)
  })

  test('behavior: what was not used for the longest time is removed first', async () => {
    await writer.add(heights.flatMap(overGrpc))
    const { bytes } = writer.usage()
    time += HOUR
    await writer.add([], [5])
    const small = await open(bytes / 2)
    await small.add([], [200])
    expect(small.usage().bytes).toBeLessThanOrEqual(bytes / 2)
    expect(small.usage().blocks).toBeLessThan(heights.length)
    reader.clear()
    expect(await has(reader, 5)).toBe(true)
    expect(await has(reader, 200)).toBe(true)
    expect(await reader.get(20)).toBeUndefined()
    const gone = heights.slice(20).flatMap(idsOf)[0] as string
    expect(await reader.heightOf(gone)).toBeUndefined()
    await small.close()
  })

  test('behavior: a read of a row that was not used in this hour is reported', async () => {
    await writer.add(overGrpc(7))
    await reader.get(7)
    expect(used).toEqual([])
    time += HOUR
    reader.clear()
    await reader.get(7)
    expect(used).toEqual([7])
  })

  test('behavior: a height and all above it are removed', async () => {
    await writer.add(heights.flatMap(overGrpc))
    expect(writer.usage().newest).toEqual({
      number: heights.length - 1,
      id: recordedBlock(heights.length - 1).block.blockID,
    })
    await writer.dropFrom(100)
    for (const number of heights)
      expect((await reader.get(number)) !== undefined).toBe(number < 100)
    expect(writer.usage()).toMatchObject({ blocks: 100, newest: undefined })
  })

  test('behavior: a reader sees what another writer adds', async () => {
    const [second, other] = [await open(), await openReader()]
    expect(await other.get(50)).toBeUndefined()
    await second.add(overGrpc(50))
    await writer.add(overGrpc(51))
    expect(await has(other, 50)).toBe(true)
    expect(await has(other, 51)).toBe(true)
    await second.close()
    await other.close()
  })

  /** Changes one bit of the row of a block. */
  async function damage(number: number, placeIn: (value: Buffer) => number): Promise<void> {
    const engine = await openEngine(address, { layout: BLOCKS_LAYOUT })
    await engine.write(async (batch) => {
      for (const key of keysOf(number)) {
        const [value] = await batch.get('blocks', [key])
        if (!value) continue
        const at = placeIn(value)
        value.writeUInt8(value.readUInt8(at) ^ 1, at)
        await batch.put('blocks', [{ key, value }])
      }
    })
    await engine.close()
  }

  test('error: a damaged row is not answered, is reported, and replaced by the next answer of a node', async () => {
    await writer.add(overGrpc(132))
    await damage(132, ({ length }) => length >> 1)
    expect(await reader.get(132)).toBeUndefined()
    expect(damaged).toEqual([132])
    await writer.add(overGrpc(132))
    expect(await has(reader, 132)).toBe(true)
  })

  test('error: damaged rows do not stop the removal of old ones', async () => {
    await writer.add([100, 132, 200].flatMap(overGrpc))
    await damage(100, ({ length }) => length >> 1)
    // When it was last used.
    await damage(132, () => 3)
    const small = await open(1)
    await small.add(overGrpc(50))
    expect(small.usage().bytes).toBeLessThanOrEqual(1)
    reader.clear()
    for (const number of [50, 100, 200]) expect(await reader.get(number)).toBeUndefined()
    await small.close()
  })

  test('error: the store is of another chain', async () => {
    await expect(open(1e9, `${GENESIS.slice(0, -1)}0`)).rejects.toThrow(
      /^the store of blocks belongs to another chain/,
    )
  })
}
