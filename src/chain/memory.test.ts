import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { expect, test } from 'vitest'

import { recordedBlock } from '../../test/support/recordedBlock.ts'
import { ownPrepared, type Prepared, preparedLength } from '../lib/prepared.ts'
import { outlinePart } from '../native/wire/blockOutline.ts'
import { type CachedBlock, createCachedBlock } from './blocks/cachedBlock.ts'
import { createLogBlock } from './blocks/logBlock.ts'
import { arrayOf } from './blocks/logChunk.ts'
import { createLogMatcher } from './blocks/logMatch.ts'
import { contentOf } from './reads/load.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** So many that other allocations of the process do not change the result. */
const BLOCKS = 150
const SMALL_VALUES = 2_500
const context = { chainId: 1, energyPrice: 100n }
const everything = createLogMatcher({ addresses: [], topics: [] })

/** A copy with strings of its own, as values that were parsed have. */
function copyOf<value>(value: value): value {
  return JSON.parse(JSON.stringify(value)) as value
}

/** A block as it arrives. */
const freshBlock = (number: number) => copyOf(recordedBlock(number))

/** Bytes in use. The first collection may leave buffers whose objects have just died. */
function used(): number {
  gc()
  gc()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

/** Values for the median: V8 also drops compiled code of other modules, once and at a time of its own. */
const ROUNDS = 3

/** Bytes that values keep, divided by the bytes that are counted for them. Other small buffers are made between them. */
function measureOnce<value>(copies: number, make: () => value, count: (value: value) => number) {
  const before = used()
  const kept: value[] = []
  for (let copy = 0; copy < copies; copy++) {
    kept.push(make())
    for (let other = 0; other < 3; other++) Buffer.from('x'.repeat(300))
  }
  const retained = used() - before
  return retained / kept.reduce((sum, value) => sum + count(value), 0)
}

/** The median of a few measurements. */
function measure<value>(copies: number, make: () => value, count: (value: value) => number) {
  for (let copy = 0; copy < 20; copy++) make()
  const ratios = Array.from({ length: ROUNDS }, () => measureOnce(copies, make, count))
  return ratios.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? Number.NaN
}

/** The same for cached blocks. */
function measureBlock(
  fresh: () => ReturnType<typeof recordedBlock>,
  build: (block: CachedBlock) => unknown = (block) => block.slim(),
): number {
  return measure(
    BLOCKS,
    () => {
      const block = createCachedBlock(contentOf(fresh()), () => {})
      build(block)
      return block
    },
    (block) => block.bytes(),
  )
}

/** Neither much more is kept than is counted, nor much less. */
const LEAST = 0.4
const MOST = 1.25

const built: Record<string, (block: CachedBlock) => unknown> = {
  'only its header': (block) => block.slim(),
  'with its transactions': (block) => block.full(context),
  'with its receipts': (block) => block.receipts(context),
  'with its logs': (block) => block.count(everything),
  'with all answers': (block) => [
    block.slim(),
    block.full(context),
    block.receipts(context),
    block.count(everything),
  ],
}
for (const [name, build] of Object.entries(built))
  test(`default: a cached block ${name} keeps what it counts`, () => {
    const ratio = measureBlock(() => freshBlock(132), build)
    expect(ratio).toBeGreaterThan(LEAST)
    expect(ratio).toBeLessThan(MOST)
  })

test('behavior: a cached deployment counts its code, and its input on the development chain', () => {
  const input = 'ab'.repeat(20_000)
  const deployment = () => freshBlock(127)
  const onDevChain = () => {
    const { block, infos } = freshBlock(127)
    const [first] = block.transactions ?? []
    const transactions = [{ ...first, ethereum: { input: copyOf(input) } } as never]
    return { block: { ...block, transactions }, infos }
  }
  for (const fresh of [deployment, onDevChain]) {
    const ratio = measureBlock(fresh)
    expect(ratio).toBeGreaterThan(LEAST)
    expect(ratio).toBeLessThan(MOST)
  }
})

test('default: the logs of a block keep what they count', () => {
  const ratio = measure(
    SMALL_VALUES,
    () => {
      const { block, infos } = freshBlock(132)
      return createLogBlock(outlinePart.pick(block as never), infos)
    },
    ({ bytes }) => bytes,
  )
  expect(ratio).toBeGreaterThan(LEAST)
  expect(ratio).toBeLessThan(MOST)
})

test('default: a cached answer with few rows of large blocks keeps what it counts', () => {
  const { block, infos } = recordedBlock(132)
  const [one] = infos.flatMap(({ log = [] }) => log.slice(0, 1))
  const few = createLogMatcher({
    addresses: [`0x${one?.address ?? ''}`],
    topics: one?.topics?.map((topic) => [`0x${topic}`]) ?? [],
  })
  const ratio = measure(
    SMALL_VALUES,
    (): Prepared<unknown> => {
      const chunk = createLogBlock(block, infos).logs(few)
      return ownPrepared(arrayOf([chunk], 1))
    },
    // As the cache of answers counts, with its key.
    (answer) => preparedLength(answer) + 500,
  )
  expect(ratio).toBeGreaterThan(LEAST)
  expect(ratio).toBeLessThan(MOST)
})
