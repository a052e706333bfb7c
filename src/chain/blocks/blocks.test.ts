import { describe, expect, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { createSteeredHead } from '../../../test/support/steeredHead.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { createNodeClient } from '../../native/client.ts'
import type { Block } from '../../native/wire/types.ts'
import { contentOf } from '../reads/load.ts'
import { type Blocks, createBlocks } from './blocks.ts'

const MIB = 1024 * 1024

/** A chain of blocks with two transactions each. The first `solid` blocks are solidified. */
function setup({
  cacheBytes = 64 * MIB,
  intercept = (_: string, answer: unknown) => answer,
  length = 20,
  solid = 10,
} = {}) {
  const chain = createScriptedChain()
  for (let number = 1; number <= length; number++) chain.mine({ logs: [[], []] })
  const head = createSteeredHead(chain, { window: 15 })
  const native = createNodeClient({
    transport: {
      ...chain.transport,
      async send(path, body, options) {
        const { status, text } = await chain.transport.send(path, body, options)
        return { status, text: JSON.stringify(intercept(path, JSON.parse(text || '{}'))) }
      },
    },
  })
  const blocks = createBlocks({ cacheBytes, head, native })
  head.follow(solid)
  return { blocks, chain, head }
}

test('default', async () => {
  const { blocks, chain } = setup()
  const block = await blocks.get(3)
  expect(block?.id).toEqual({ hash: chain.canonical()[3]?.hash, number: 3 })
  expect(fromPrepared(block!.slim()).transactions).toHaveLength(2)
  expect(chain.total()).toBe(2)
})

describe('get', () => {
  test('behavior: concurrent reads by number and by hash fetch each block once', async () => {
    const { blocks, chain } = setup()
    const hash = chain.canonical()[3]!.hash
    const all = await Promise.all([
      blocks.get(3),
      blocks.get(3),
      blocks.byHash(hash),
      blocks.get(3),
    ])
    expect(new Set(all).size).toBe(1)
    expect(await blocks.get(3)).toBe(all[0])
    expect(chain.total()).toBe(2)
  })

  test('behavior: the answer of a chain that was reset meanwhile is not used', async () => {
    let reset: (() => void) | undefined
    const { blocks, chain, head } = setup({
      intercept(path, answer) {
        if (path.includes('gettransactioninfobyblocknum')) reset?.()
        return answer
      },
    })
    reset = () => {
      reset = undefined
      chain.reorg(
        20,
        Array.from({ length: 20 }, () => ({ logs: [[]] })),
      )
      head.follow(10)
    }
    const { hash } = (await blocks.get(3))!.id
    expect(hash).toBe(chain.canonical()[3]?.hash)
    expect((await blocks.get(3))?.id.hash).toBe(hash)
  })

  test('behavior: consecutive solidified blocks are read together, with the outcomes of each', async () => {
    const { blocks, chain } = setup()
    const numbers = [3, 4, 5, 6]
    const read = await Promise.all(numbers.map((number) => blocks.get(number)))
    expect(read.map((block) => block?.id.hash)).toEqual(
      numbers.map((number) => chain.canonical()[number]?.hash),
    )
    expect(Object.fromEntries(chain.calls)).toEqual({
      '/wallet/getblockbylimitnext': 1,
      '/wallet/gettransactioninfobyblocknum': 4,
    })
    expect(numbers.map((number) => blocks.peek(number))).toEqual(read)
  })

  test('behavior: blocks above the solidified one are read alone', async () => {
    const { blocks, chain } = setup()
    await Promise.all([blocks.get(10), blocks.get(11), blocks.get(12)])
    expect(chain.calls.get('/wallet/getblockbylimitnext')).toBeUndefined()
    expect(chain.calls.get('/wallet/getblockbynum')).toBe(3)
  })

  test.each<[string, (answer: { block: Block[] }) => unknown]>([
    ['a block is missing', ({ block }) => ({ block: block.slice(0, 2) })],
    ['a block has another number', ({ block: [a, b] }) => ({ block: [a, b, b] })],
    ['a block lacks its transactions', ({ block: [a, b, c] }) => ({ block: [a, b, slim(c)] })],
    ['there is no such call', () => ({ Error: 'unknown' })],
    ['the answer is no list', () => ({ block: 'x' })],
  ])('behavior: read alone where %s', async (_, change) => {
    const { blocks, chain } = setup({
      intercept: (path, answer) =>
        path === '/wallet/getblockbylimitnext' ? change(answer as { block: Block[] }) : answer,
    })
    const numbers = [3, 4, 5]
    const read = await Promise.all(numbers.map((number) => blocks.get(number)))
    expect(read.map((block) => block?.id.hash)).toEqual(
      numbers.map((number) => chain.canonical()[number]?.hash),
    )
    expect(read.map((block) => block?.transactions.length)).toEqual([2, 2, 2])
    expect(chain.calls.get('/wallet/getblockbylimitnext')).toBe(1)
    expect(chain.calls.get('/wallet/getblockbynum')).toBeGreaterThan(0)
  })

  test('behavior: a height above the head has no block and costs no call', async () => {
    const { blocks, chain } = setup()
    expect(await blocks.get(21)).toBeUndefined()
    expect(chain.total()).toBe(0)
  })

  test('behavior: blocks that the head has read are not read again, also below the window', async () => {
    const { blocks, chain, head } = setup()
    const { native } = chain
    const block = await native.wallet.getBlockByNum({ num: 20 })
    const infos = await native.wallet.getTransactionInfoByBlockNum({ num: 20 })
    blocks.put(contentOf({ block: block!, infos }))
    const calls = chain.total()
    expect((await blocks.get(20))?.id.number).toBe(20)
    for (let number = 21; number <= 60; number++) {
      chain.mine()
      head.follow(number - 5)
    }
    expect(head.at(20)).toBeUndefined()
    expect((await blocks.get(20))?.id.number).toBe(20)
    expect(chain.total()).toBe(calls)
  })

  test('behavior: without cache memory every read calls the node', async () => {
    const { blocks, chain } = setup({ cacheBytes: 0 })
    expect((await blocks.get(3))?.id.number).toBe(3)
    expect((await blocks.get(3))?.id.number).toBe(3)
    expect(chain.total()).toBe(4)
    expect(blocks.peek(3)).toBeUndefined()
  })

  test('behavior: memory is bounded, also while answers of cached blocks are built', async () => {
    const cacheBytes = 100_000
    const { blocks } = setup({ cacheBytes, length: 60, solid: 60 })
    for (let number = 0; number <= 60; number++) {
      const block = await blocks.get(number)
      block?.slim()
      block?.full({ chainId: 1, energyPrice: 1n })
      block?.receipts({ chainId: 1, energyPrice: 1n })
      expect(bytesOf(blocks)).toBeLessThanOrEqual(cacheBytes)
    }
    expect(bytesOf(blocks)).toBeGreaterThan(cacheBytes / 2)
    expect(blocks.peek(60)).toBeDefined()
    expect(blocks.peek(0)).toBeUndefined()
  })

  test('error: the node fails, and the next read calls it again', async () => {
    const { blocks, chain } = setup()
    chain.faults.down = true
    await expect(blocks.get(3)).rejects.toMatchObject({ code: -32603 })
    chain.faults.down = false
    expect((await blocks.get(3))?.id.number).toBe(3)
  })

  test('error: a node that lags behind the head that it announced', async () => {
    const { blocks, chain, head } = setup()
    chain.faults.lag = 5
    await expect(blocks.get(19)).rejects.toMatchObject({ code: -32603 })
    expect(head.polls()).toBeGreaterThan(0)
  })
})

describe('reorg', () => {
  test('behavior: an orphan is not served, by number nor by hash; the new branch is', async () => {
    const { blocks, chain, head } = setup()
    const orphan = (await blocks.get(18))!
    const [, joined] = chain.reorg(4, [{ logs: [[]] }, { logs: [[]] }, {}, {}, {}])
    head.follow()
    expect(await blocks.byHash(orphan.id.hash)).toBeUndefined()
    expect(blocks.withTransaction(orphan.transactions[0]!)).toBeUndefined()
    const block = await blocks.get(18)
    expect(block?.id.hash).toBe(joined?.hash)
    expect(block?.transactions).toHaveLength(1)
  })

  test('error: the node is on another branch than the head', async () => {
    const { blocks, chain, head } = setup()
    chain.reorg(4, [{}, {}, {}, {}, {}])
    await expect(blocks.get(18)).rejects.toMatchObject({ code: -32603 })
    expect(head.polls()).toBeGreaterThan(0)
    head.follow()
    expect((await blocks.get(18))?.id.hash).toBe(chain.canonical()[18]?.hash)
  })

  test('behavior: a reorg of the head while the block is read', async () => {
    const { blocks, chain, head } = setup()
    const joined = chain.reorg(4, [{}, {}, {}, {}, {}])
    head.pollNow = () => head.follow()
    expect((await blocks.get(18))?.id.hash).toBe(joined[1]?.hash)
  })

  test('behavior: a chain in this process goes back below its solidified block', async () => {
    const { blocks, chain, head } = setup({ length: 60, solid: 60 })
    const old = await blocks.get(20)
    const epoch = blocks.epoch()
    chain.reorg(
      50,
      Array.from({ length: 50 }, () => ({})),
    )
    head.follow(60)
    expect(blocks.epoch()).not.toBe(epoch)
    const block = await blocks.get(20)
    expect(block?.id.hash).toBe(chain.canonical()[20]?.hash)
    expect(block?.id.hash).not.toBe(old?.id.hash)
  })
})

describe('byHash', () => {
  test('behavior: an unknown hash of an existing height', async () => {
    const { blocks } = setup()
    expect(await blocks.byHash(`0x${'3'.padStart(16, '0')}${'ab'.repeat(24)}`)).toBeUndefined()
  })

  test('behavior: a hash whose height does not exist costs no call', async () => {
    const { blocks, chain } = setup()
    expect(await blocks.byHash(`0x${'ff'.repeat(32)}`)).toBeUndefined()
    expect(chain.total()).toBe(0)
  })
})

test('behavior: transactions of cached blocks are found without a call', async () => {
  const { blocks } = setup()
  const block = await blocks.get(3)
  expect(blocks.withTransaction(block!.transactions[1]!)).toBe(block)
  expect(blocks.withTransaction(`0x${'ab'.repeat(32)}`)).toBeUndefined()
})

/** A block as a front end might shorten it. */
function slim(block: Block | undefined): unknown {
  return { ...block, transactions: undefined }
}

/** Memory of those of the first 61 blocks that are cached. */
function bytesOf(blocks: Blocks): number {
  const heights = Array.from({ length: 61 }, (_, number) => number)
  return heights.reduce((sum, number) => sum + (blocks.peek(number)?.bytes() ?? 0), 0)
}
