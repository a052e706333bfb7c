import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { openIndexWriter } from './writer.ts'

const GROUP = 64

/** An index of the first groups of a chain. */
async function setup({ blocks = 400, groups = [0, 1, 2, 3] } = {}) {
  const chain = createScriptedChain()
  for (let block = 0; block < blocks; block++) chain.mine({ logs: [[LOG]] })
  chain.solidify(blocks)
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-reconcile-'))
  const shown: { hashes?: (string | undefined)[] } = {}
  const writer = await openIndexWriter({
    address: directory,
    concurrency: 4,
    genesis: chain.genesis.slice(2),
    native: chain.native,
    rate: 1e6,
    ask: async (number) =>
      shown.hashes ?? [
        chain
          .canonical()
          .find((block) => block.number === number)
          ?.hash.slice(2),
      ],
  })
  onTestFinished(async () => {
    await writer.close()
    rmSync(directory, { recursive: true })
  })
  for (const group of groups)
    await writer.filler.complete({ from: group * GROUP, to: group * GROUP + GROUP - 1 }, 'oldest')
  const covered = async () => (await writer.store.coverage()).map(({ from, to }) => [from, to])
  return { chain, covered, shown, writer }
}

const LOG = { address: '11'.repeat(20), topics: [] }

/** New blocks in place of the newest ones. */
const others = (count: number) => Array.from({ length: count }, () => ({ logs: [[LOG, LOG]] }))

test('default: an index of the solidified chain is kept', async () => {
  const { covered, writer } = await setup()
  expect(await writer.reconcile()).toBe(undefined)
  expect(await covered()).toEqual([[0, 255]])
})

test('behavior: segments of another branch are removed, those below it kept', async () => {
  const { chain, covered, writer } = await setup()
  chain.reorg(230, others(230))
  expect(await writer.reconcile()).toBe(128)
  expect(await covered()).toEqual([[0, 127]])
})

test('behavior: a chain that was reset and is shorter', async () => {
  const { chain, covered, writer } = await setup()
  chain.reorg(400, others(100))
  chain.solidify(100)
  expect(await writer.reconcile()).toBe(0)
  expect(await covered()).toEqual([])
})

test('error: a node that lags proves nothing', async () => {
  const { chain, covered, writer } = await setup()
  chain.faults.lag = 200
  await expect(writer.reconcile()).rejects.toThrow(
    'the node does not have the solidified block 255, whose logs are indexed',
  )
  expect(await covered()).toEqual([[0, 255]])
  // Nothing of the index is solidified on this node.
  chain.faults.lag = 390
  await expect(writer.reconcile()).rejects.toThrow('solidified block 255')
  expect(await covered()).toEqual([[0, 255]])
  chain.faults.lag = 0
  expect(await writer.reconcile()).toBe(undefined)
})

test('error: a branch that is not solidified proves nothing', async () => {
  const { chain, covered, writer } = await setup()
  chain.reorg(300, others(300))
  chain.solidify(100)
  await expect(writer.reconcile()).rejects.toThrow('solidified block 255')
  expect(await covered()).toEqual([[0, 255]])
})

test('error: a node that has no old blocks proves nothing', async () => {
  const { chain, covered, writer } = await setup({ groups: [0, 3] })
  const pruned = createScriptedChain({ start: 150 })
  const { getBlock } = pruned.native.solidity
  for (let block = 0; block < 300; block++) pruned.mine()
  pruned.solidify(450)
  const own = chain.native.solidity.getBlock.bind(chain.native.solidity)
  // Blocks below 150 are those of the pruned node: none.
  Object.assign(chain.native.solidity, {
    getBlock: (request: { id_or_num?: string }, options?: object) =>
      Number(request.id_or_num ?? 1_000) < 150 ? getBlock(request, options) : own(request, options),
  })
  await expect(writer.reconcile()).rejects.toThrow('solidified block 63')
  expect(await covered()).toEqual([
    [0, 63],
    [192, 255],
  ])
})

test('error: most nodes have to confirm the other block', async () => {
  const { chain, covered, shown, writer } = await setup()
  chain.reorg(230, others(230))
  const other = chain
    .canonical()
    .find(({ number }) => number === 255)
    ?.hash.slice(2)
  for (const hashes of [
    [other, undefined],
    [other, 'aa'.repeat(32), undefined],
    [other, other, undefined, undefined],
  ]) {
    shown.hashes = hashes
    await expect(writer.reconcile()).rejects.toThrow('most nodes do not confirm it')
    expect(await covered()).toEqual([[0, 255]])
  }
})
