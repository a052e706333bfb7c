import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { blockChangesFrom } from './blockChanges.ts'
import type { HeadBlock, RecentBlock, Window } from './headTypes.ts'
import { applyUpdate, blockAt, blocksAbove, newestOf } from './window.ts'

const hash = (number: number, branch: number) =>
  `0x${number.toString(16).padStart(16, '0')}${branch.toString(16).padStart(48, '0')}` as const

function block(number: number, branch: number, parentBranch = branch): RecentBlock {
  return {
    number,
    hash: hash(number, branch),
    parentHash: hash(number - 1, parentBranch),
    timestamp: number * 3_000,
    header: {} as RecentBlock['header'],
    transactions: [],
    logs: [],
  }
}

const solidified: HeadBlock = block(0, 0)

/** A window over 0…`height`, then reorgs, each `[depth, longer]`. */
function build(height: number, reorgs: [number, number][]): { window: Window; seen: Window[] } {
  const added = Array.from({ length: height + 1 }, (_, number) => block(number, 0))
  let window = applyUpdate(undefined, { removed: [], added, solidified })
  const seen = [window]
  for (const [index, [depth, longer]] of reorgs.entries()) {
    const from = newestOf(window).number - Math.min(depth, newestOf(window).number)
    const below = blockAt(window, from) as RecentBlock
    const removed = blocksAbove(window, from)
    const branch = Array.from({ length: removed.length + longer }, (_, at) => ({
      ...block(from + 1 + at, index + 1),
      ...(at === 0 && { parentHash: below.hash }),
    }))
    window = applyUpdate(window, { removed, added: branch, solidified })
    seen.push(window)
  }
  return { window, seen }
}

describe('blockChangesFrom', () => {
  test('default: forward on one branch', () => {
    const { window } = build(4, [])
    const route = blockChangesFrom(window, { number: 2, hash: hash(2, 0) }, 4)
    expect(route).toEqual([
      { block: block(3, 0), removed: false, after: { number: 3, hash: hash(3, 0) } },
      { block: block(4, 0), removed: false, after: { number: 4, hash: hash(4, 0) } },
    ])
    expect(blockChangesFrom(window, { number: 4, hash: hash(4, 0) }, 4)).toEqual([])
  })

  test('behavior: a cursor on an orphan below the window', () => {
    const { window } = build(4, [[1, 0]])
    const blocks = Array.from({ length: 300 }, (_, at) => block(5 + at, 1))
    const solid = blocks.at(-1) as RecentBlock
    const later = applyUpdate(window, { removed: [], added: blocks, solidified: solid })
    expect(later.blocks[0]?.number).toBeGreaterThan(100)
    expect(blockChangesFrom(later, { number: 4, hash: hash(4, 0) }, solid.number)).toEqual([
      { block: block(4, 0), removed: true, after: { number: 3, hash: hash(3, 0) } },
    ])
    expect(blockChangesFrom(later, { number: 3, hash: hash(3, 0) }, solid.number)).toBe('below')
    // The solidified view may end there.
    expect(blockChangesFrom(later, { number: 3, hash: hash(3, 0) }, 3)).toEqual([])
  })

  test('behavior: from a cursor on any branch the changes lead to the canonical chain', () => {
    const reorgs = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 0, max: 3 })),
      {
        maxLength: 8,
      },
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), reorgs, fc.nat(), (height, script, pick) => {
        const { seen, window } = build(height, script)
        const before = seen[pick % seen.length] as Window
        const held = before.blocks.map(({ hash }) => hash)
        const route = blockChangesFrom(window, newestOf(before), newestOf(window).number)
        expect(typeof route).not.toBe('string')
        const changes = typeof route === 'string' ? [] : route
        const gone = changes.filter(({ removed }) => removed).map(({ block }) => block.hash)
        expect(gone).toEqual(held.splice(held.length - gone.length).toReversed())
        held.push(...changes.slice(gone.length).map(({ block }) => block.hash))
        expect(held).toEqual(window.blocks.map(({ hash }) => hash))
      }),
    )
  })

  test('behavior: below the window, ahead of it, on a lost branch', () => {
    const { window } = build(4, [])
    expect(blockChangesFrom(window, { number: 7, hash: hash(7, 9) }, 4)).toBe('ahead')
    expect(blockChangesFrom(window, { number: 3, hash: hash(3, 9) }, 4)).toBe('ahead')
    expect(blockChangesFrom(window, { number: 0, hash: hash(0, 9) }, 4)).toBe('lost')
    const blocks = Array.from({ length: 300 }, (_, number) => block(number, 0))
    const late = applyUpdate(undefined, { removed: [], added: blocks, solidified: block(299, 0) })
    expect(late.blocks[0]?.number).toBe(171)
    expect(blockChangesFrom(late, { number: 100, hash: hash(100, 0) }, 299)).toBe('below')
    expect(blockChangesFrom(late, { number: 170, hash: hash(170, 0) }, 171)).toHaveLength(1)
  })
})

describe('applyUpdate', () => {
  test('error: updates that do not link', () => {
    const { window } = build(2, [])
    expect(() => applyUpdate(window, { removed: [], added: [block(4, 0)], solidified })).toThrow(
      /follow/,
    )
    expect(() => applyUpdate(window, { removed: [block(1, 0)], added: [], solidified })).toThrow(
      /not the newest/,
    )
  })
})
