import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { createScriptedChain, type ScriptedChain } from '../../../test/support/chain.ts'
import { until } from '../../../test/support/until.ts'
import { blockChangesFrom } from './blockChanges.ts'
import { createHead } from './head.ts'
import type { ChainUpdate, Head, Window } from './headTypes.ts'

let chain: ScriptedChain
let head: Head
let changes: ChainUpdate[]
let time: number
/** Number of polls that have begun. */
let polls: number
/** Called once, after the node has answered a poll with its head. */
let onTip: (() => void) | undefined
/** Whether the node answers that it has no block with a given hash. */
let isLacking: boolean

const log = { address: '33'.repeat(20), topics: ['aa'.repeat(32)] }

beforeEach(() => {
  chain = createScriptedChain()
  chain.mine()
  chain.mine()
  time = 1_000
  isLacking = false
})
afterEach(() => head.stop())

async function follow(options: Partial<createHead.Options> = {}) {
  polls = 0
  const wallet: typeof chain.native.wallet = {
    ...chain.native.wallet,
    getBlockViewById: async (request, options) =>
      isLacking ? undefined : chain.native.wallet.getBlockViewById(request, options),
    async getBlock(request, options) {
      if (request.id_or_num === undefined) polls++
      const block = await chain.native.wallet.getBlock(request, options)
      if (request.id_or_num !== undefined) return block
      onTip?.()
      onTip = undefined
      return block
    },
  }
  const native = { ...chain.native, wallet }
  head = createHead({ genesis: chain.genesis, native, now: () => time, ...options })
  changes = []
  head.onUpdate((change) => changes.push(change))
  await head.start()
}

/** Resolves when a poll that began after this call has ended, which the start of the next one proves. */
async function step() {
  for (const _ of ['this one', 'the next one']) {
    const before = polls
    head.pollNow()
    await until(() => expect(polls).toBeGreaterThan(before), { interval: 1 })
  }
}

const shape = ({ added, removed, solidified }: ChainUpdate) => ({
  added: added.map(({ hash }) => hash),
  removed: removed.map(({ hash }) => hash),
  solid: solidified.number,
})
const hashes = () => chain.canonical().map(({ hash }) => hash)

describe('createHead', () => {
  test('default: from the solidified block to the newest, then block by block', async () => {
    chain.solidify(1)
    await follow()
    expect(head.latest()).toEqual(expect.objectContaining({ number: 2, hash: chain.head().hash }))
    const block = chain.mine({ logs: [[log, log], [log]] })
    chain.solidify(2)
    await step()
    expect(changes.map(shape)).toEqual([
      { added: hashes().slice(1, 3), removed: [], solid: 1 },
      { added: [block.hash], removed: [], solid: 2 },
    ])
    expect(changes[1]?.added[0]?.logs.map(({ logIndex }) => logIndex)).toEqual([
      '0x0',
      '0x1',
      '0x2',
    ])
    expect(head.at(2)?.hash).toBe(hashes()[2])
    expect(head.at(4)).toBeUndefined()
    expect(head.window()?.blocks.at(-1)?.transactions).toHaveLength(2)
    expect(head.status()).toEqual({
      role: 'standalone',
      number: 3,
      solid: 2,
      age: 0,
      isStalled: false,
      upstream: 'up',
    })
  })

  test('behavior: before the first block reads fail, and the state shows an unreachable node', async () => {
    chain.faults.down = true
    await follow()
    expect(() => head.latest()).toThrow(expect.objectContaining({ code: -32603 }))
    expect(head.status()).toEqual({
      role: 'standalone',
      number: undefined,
      solid: undefined,
      age: undefined,
      isStalled: false,
      upstream: 'down',
      problem: 'the upstream node answered HTTP 503',
    })
    chain.faults.down = false
    await step()
    expect(head.status()).toMatchObject({ number: 2, upstream: 'up' })
  })

  test('behavior: the state says that a node lacks the newest block that it names', async () => {
    chain.mine({ logs: [[log]] })
    isLacking = true
    await follow()
    expect(head.status()).toMatchObject({
      number: undefined,
      upstream: 'up',
      problem: 'the node does not have the blocks from its solidified block to its newest',
    })
    isLacking = false
    await step()
    expect(head.status()).toMatchObject({ number: 3, upstream: 'up' })
    expect(head.status().problem).toBeUndefined()
  })

  test('behavior: a head has stalled when it moved before and stands for a minute', async () => {
    await follow()
    time += 61_000
    // A chain that makes no blocks.
    expect(head.status().isStalled).toBe(false)
    chain.mine()
    await step()
    time += 61_000
    expect(head.status().isStalled).toBe(true)
    chain.mine()
    await step()
    expect(head.status().isStalled).toBe(false)
  })

  test('behavior: a long gap is filled in order without a missing block', async () => {
    await follow()
    for (let count = 0; count < 100; count++) chain.mine()
    chain.solidify(97)
    head.pollNow()
    await until(() => expect(head.latest().number).toBe(102))
    expect(changes.flatMap(({ added }) => added.map(({ hash }) => hash))).toEqual(hashes())
    expect(changes.at(-1)?.solidified.number).toBe(97)
    expect(Math.max(...changes.map(({ added }) => added.length))).toBe(32)
  })

  test('behavior: an empty block costs one poll and the solidified header', async () => {
    await follow()
    const before = chain.total()
    chain.mine()
    await step()
    // Two polls, the solidified header.
    expect(chain.total() - before).toBeLessThanOrEqual(3)
    expect(head.latest().number).toBe(3)
  })

  test('behavior: a reorg removes newest first and adds oldest first', async () => {
    await follow()
    const old = [chain.mine({ logs: [[log]] }), chain.mine()]
    await step()
    const branch = chain.reorg(2, [{}, { logs: [[log]] }, {}])
    await step()
    expect(changes.slice(-1).map(shape)).toEqual([
      {
        added: branch.map(({ hash }) => hash),
        removed: old.map(({ hash }) => hash).toReversed(),
        solid: 0,
      },
    ])
    expect(head.window()?.orphans.get(old[0]?.hash as `0x${string}`)?.logs).toHaveLength(1)
  })

  test('behavior: a reorg while blocks are read does not bring back the branch that was the head before', async () => {
    await follow()
    const kept = chain.mine()
    chain.mine()
    chain.mine()
    let branch: { hash: string }[] = []
    // The node answers with its head, and has another one when its blocks are asked for.
    onTip = () => void (branch = chain.reorg(2, [{}, {}, {}]))
    await step()
    expect(changes.slice(1).map(shape)).toEqual([
      { added: [kept.hash, branch[0]?.hash], removed: [], solid: 0 },
      { added: branch.slice(1).map(({ hash }) => hash), removed: [], solid: 0 },
    ])
  })

  test('behavior: a lagging node behind a load balancer changes nothing', async () => {
    await follow()
    chain.mine()
    await step()
    chain.faults.lag = 2
    await step()
    await step()
    chain.faults.lag = 0
    const block = chain.mine()
    await step()
    expect(head.latest().hash).toBe(block.hash)
    expect(changes.flatMap(({ removed }) => removed)).toEqual([])
  })

  test('behavior: a branch that is not higher is followed after several polls', async () => {
    await follow()
    chain.mine()
    await step()
    const [other] = chain.reorg(1, [{}])
    await step()
    await step()
    await step()
    expect(head.latest().hash).not.toBe(other?.hash)
    time += 2_500
    await step()
    expect(head.latest().hash).toBe(other?.hash)
  })

  test('behavior: a branch below the solidified block is refused and shown', async () => {
    await follow()
    chain.mine()
    chain.solidify(3)
    await step()
    const kept = head.latest().hash
    chain.reorg(2, [{}, {}, {}])
    await step()
    expect(head.latest().hash).toBe(kept)
    expect(head.status().problem).toMatch(/below the solidified block 3/)
  })

  test('behavior: a branch below the solidified block is followed when the node shows nothing else for long', async () => {
    await follow()
    chain.mine()
    chain.mine()
    chain.solidify(4)
    await step()
    const before = hashes().slice(0, 3)
    chain.solidify(2)
    const branch = chain.reorg(2, [{ logs: [[log]] }, {}, {}])
    for (let look = 0; look < 12; look++) {
      await step()
      expect(head.solid().number).toBe(4)
    }
    time += 15_000
    await step()
    expect(head.status().problem).toBeUndefined()
    expect(head.latest().hash).toBe(branch.at(-1)?.hash)
    expect(head.solid()).toMatchObject({ number: 2, hash: before[2] })
    expect(changes.at(-1)?.removed.map(({ number }) => number)).toEqual([4, 3])
    chain.mine()
    chain.solidify(4)
    await step()
    expect(head.solid()).toMatchObject({ number: 4, hash: branch[1]?.hash })
  })

  test('args: isInProcess follows the node to a lower block, also below the solidified one', async () => {
    await follow({ isInProcess: true })
    chain.mine()
    chain.mine()
    chain.solidify(4)
    await step()
    chain.solidify(2)
    chain.reorg(2, [])
    await step()
    expect(head.latest().number).toBe(2)
    expect(head.solid().number).toBe(2)
    const [block] = chain.reorg(1, [{}])
    chain.solidify(1)
    await step()
    expect(head.latest().hash).toBe(block?.hash)
  })

  describe('a run of empty blocks of a chain in this process', () => {
    /** Blocks 4 to 403 are a run. */
    const run = { from: 4, to: 403 }
    const loaded: number[] = []

    beforeEach(async () => {
      loaded.length = 0
      await follow({
        isInProcess: true,
        nextRun: (height) => (height <= run.to && chain.head().number >= run.to ? run : undefined),
        onLoaded: ({ block }) => loaded.push(block.block_header.raw_data.number ?? 0),
      })
      changes.length = 0
    })

    function mineRun(first: Parameters<typeof chain.mine>[0] = {}) {
      if (chain.head().number === 2) chain.mine(first)
      while (chain.head().number < run.to) chain.mine()
      const tail = [chain.mine(), chain.mine({ logs: [[log]] }), chain.mine()]
      chain.solidify(chain.head().number - 1)
      return tail
    }

    test('default: is not read, and the window begins anew after it', async () => {
      const tail = mineRun({ logs: [[log]] })
      const newest = chain.canonical()[3]
      await step()
      expect(
        changes.map(({ added, removed }) => [added.map(({ number }) => number), removed]),
      ).toEqual([
        [[3], []],
        [[404, 405, 406], []],
      ])
      expect(changes[1]?.added[0]?.follows).toEqual({ number: 3, hash: newest?.hash })
      expect(head.window()?.blocks.map(({ hash }) => hash)).toEqual(tail.map(({ hash }) => hash))
      expect(head.solid().number).toBe(405)
      expect(loaded.filter((number) => number >= run.from && number <= run.to)).toEqual([])
    })

    test('behavior: after a return to before it, the changes lead from a block after it to the new one', async () => {
      const tail = mineRun({ logs: [[log]] })
      const before = chain.canonical()[3]
      await step()
      const cursor = head.latest()
      chain.solidify(2)
      const [other] = chain.reorg(chain.head().number - 2, [{}])
      await step()
      expect(head.latest().hash).toBe(other?.hash)
      const found = blockChangesFrom(head.window() as Window, cursor, 3)
      expect(
        typeof found === 'string'
          ? found
          : found.map(({ block, removed }) => [block.hash, removed]),
      ).toEqual([
        ...tail.toReversed().map(({ hash }) => [hash, true]),
        [before?.hash, true],
        [other?.hash, false],
      ])
    })

    test('behavior: another branch before it is found, also when the run is there already', async () => {
      chain.mine({ logs: [[log]] })
      await step()
      const old = head.latest()
      chain.reorg(1, [{}])
      mineRun()
      await step()
      expect(head.latest().hash).toBe(chain.head().hash)
      expect(changes.flatMap(({ removed }) => removed).map(({ hash }) => hash)).toEqual([old.hash])
      expect(changes.flatMap(({ added }) => added).map(({ number }) => number)).toEqual([
        3, 3, 4, 404, 405, 406,
      ])
    })
  })

  test('behavior: a private chain that was reset replaces the window, at any height of its head', async () => {
    for (let count = 0; count < 200; count++) chain.mine()
    chain.solidify(190)
    await follow()
    expect(head.window()?.blocks[0]?.number).toBeGreaterThan(60)
    chain.solidify(1)
    chain.reorg(202, [{}, { logs: [[log]] }, {}])
    await step()
    expect(head.status()).toMatchObject({
      number: 202,
      problem: expect.stringMatching(/was reset/),
    })
    time += 1_500
    await step()
    await step()
    expect(head.status()).toMatchObject({ number: 3, solid: 1 })
    expect(head.status().problem).toBeUndefined()
    expect(head.latest().hash).toBe(chain.head().hash)
    expect(changes.at(-1)).toMatchObject({ first: hashes()[1] })
    chain.mine()
    await step()
    expect(head.latest().hash).toBe(chain.head().hash)
  })

  test('behavior: blocks of a reset chain have its prices', async () => {
    for (let count = 0; count < 20; count++) chain.mine()
    chain.solidify(15)
    let price = 1n
    await follow({ baseFee: async () => price, onReplaced: () => void (price = 2n) })
    chain.solidify(1)
    chain.reorg(22, [{}, {}, {}])
    await step()
    time += 1_500
    await step()
    await step()
    const fees = head.window()?.blocks.map(({ header }) => header.baseFeePerGas)
    expect(new Set(fees)).toEqual(new Set(['0x2']))
  })

  test('behavior: a reset chain that is higher than the old one replaces the window too', async () => {
    for (let count = 0; count < 20; count++) chain.mine()
    chain.solidify(15)
    await follow()
    chain.solidify(30)
    chain.reorg(
      22,
      Array.from({ length: 40 }, () => ({})),
    )
    await step()
    time += 1_500
    await step()
    await step()
    expect(head.latest().hash).toBe(chain.head().hash)
    expect(head.solid().number).toBe(30)
  })

  test('behavior: the solidified block moves on below the window of a chain that has not solidified for long', async () => {
    for (let count = 0; count < 1_100; count++) chain.mine()
    chain.solidify(10)
    await follow()
    expect(head.window()?.blocks[0]?.number).toBeGreaterThan(20)
    chain.solidify(20)
    const { hash } = chain.mine()
    await step()
    expect(head.latest().hash).toBe(hash)
    expect(head.solid().number).toBe(20)
  })

  test('behavior: a node that starts again with the same chain does not move the head back', async () => {
    for (let count = 0; count < 200; count++) chain.mine()
    chain.solidify(190)
    await follow()
    chain.faults.lag = 195
    for (let count = 0; count < 5; count++) {
      await step()
      time += 10_000
    }
    expect(head.latest().number).toBe(202)
    chain.faults.lag = 0
    await step()
    expect(head.status().problem).toBeUndefined()
  })
})
