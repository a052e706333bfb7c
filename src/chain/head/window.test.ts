import { expect, test } from 'vitest'

import { toHash } from '../../codec/quantity.ts'
import type { ChainUpdate, RecentBlock, Window } from './headTypes.ts'
import { applyUpdate, blocksAbove } from './window.ts'

/** A block of a branch. */
function blockAt(number: number, branch: number, parent?: RecentBlock): RecentBlock {
  const hash = toHash((branch * 1_000_000 + number).toString(16))
  const parentHash = parent?.hash ?? toHash('')
  const timestamp = number * 3_000
  return {
    number,
    hash,
    parentHash,
    timestamp,
    header: { hash, parentHash } as RecentBlock['header'],
    transactions: [],
    logs: [],
  }
}

/** The blocks of a branch from one height to another. */
function branchOf(branch: number, from: number, to: number, parent?: RecentBlock): RecentBlock[] {
  const blocks: RecentBlock[] = []
  for (let number = from; number <= to; number++)
    blocks.push(blockAt(number, branch, blocks.at(-1) ?? parent))
  return blocks
}

const solidified = blockAt(0, 0)

function update(window: Window | undefined, change: Partial<ChainUpdate>): Window {
  return applyUpdate(window, { added: [], removed: [], solidified, ...change })
}

/** Replaces the blocks above a height by those of another branch. */
function reorg(window: Window, above: number, branch: number): Window {
  const { solidified } = window
  const removed = blocksAbove(window, above)
  const parent = window.blocks.find(({ number }) => number === above)
  const added = branchOf(branch, above + 1, above + removed.length, parent)
  return update(window, { added, removed, solidified })
}

test('default: a reorg makes orphans, and a block that comes back is none', () => {
  const first = update(undefined, { added: branchOf(1, 0, 10) })
  const second = reorg(first, 8, 2)
  expect([...second.orphans.values()].map(({ number }) => number)).toEqual([10, 9])
  const back = update(second, {
    added: first.blocks.slice(9),
    removed: blocksAbove(second, 8),
  })
  expect([...back.orphans.values()]).toEqual(blocksAbove(second, 8))
})

test('behavior: an update without a reorg keeps the orphans without a copy', () => {
  const window = reorg(update(undefined, { added: branchOf(1, 0, 10) }), 8, 2)
  const next = update(window, { added: branchOf(2, 11, 11, window.blocks.at(-1)) })
  expect(next.orphans).toBe(window.orphans)
})

test('behavior: a reorg drops the orphans below the window', () => {
  const before = reorg(update(undefined, { added: branchOf(1, 0, 10) }), 8, 2)
  const added = branchOf(2, 11, 400, before.blocks.at(-1))
  const window = update(before, { added, solidified: added.at(-2) as RecentBlock })
  expect(window.blocks[0]?.number).toBe(271)
  expect(window.orphans.size).toBe(2)
  expect([...reorg(window, 399, 3).orphans.values()].map(({ number }) => number)).toEqual([400])
})

test('behavior: of many orphans the newest are kept', () => {
  let window = update(undefined, { added: branchOf(1, 0, 100) })
  for (let branch = 2; branch < 50; branch++) window = reorg(window, 0, branch)
  expect(window.orphans.size).toBe(4_096)
  const branches = [...window.orphans.values()].map(({ hash }) => Math.floor(Number(hash) / 1e6))
  expect([branches[0], branches.at(-1)]).toEqual([8, 48])
})
