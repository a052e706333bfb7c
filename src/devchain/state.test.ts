import { describe, expect, test } from 'vitest'

import { createHistory, createOverlay } from './state.ts'

describe('createHistory', () => {
  test('default: every height keeps its values', () => {
    const history = createHistory()
    history.apply(0, new Map([['property:a', 1n]]))
    history.apply(3, new Map([['property:a', 2n]]))
    expect([0, 2, 3, 9].map((height) => history.at(height).get('property', 'a'))).toEqual([
      1n,
      1n,
      2n,
      2n,
    ])
    expect(history.get('property', 'a')).toBe(2n)
    expect(history.at(9).get('property', 'b')).toBeUndefined()
    expect(history.changedAt('property', 'a', 2)).toBe(0)
  })

  test('behavior: truncate undoes blocks, deletions too', () => {
    const history = createHistory()
    history.apply(0, new Map([['property:a', 1n]]))
    history.apply(
      1,
      new Map<string, unknown>([
        ['property:a', undefined],
        ['property:b', 5n],
      ]),
    )
    expect(history.get('property', 'a')).toBeUndefined()
    history.truncate(0)
    expect(history.get('property', 'a')).toBe(1n)
    expect(history.get('property', 'b')).toBeUndefined()
    expect(history.changesAt(1).size).toBe(0)
  })
})

describe('createOverlay', () => {
  test('default: changes stay apart until they are committed', () => {
    const outer = createOverlay(createHistory())
    outer.set('property', 'a', 1n)
    const inner = createOverlay(outer)
    inner.set('property', 'a', undefined)
    inner.set('storage', '41aa.0/00:ff', '2a')
    expect(outer.get('property', 'a')).toBe(1n)
    expect(inner.get('property', 'a')).toBeUndefined()
    inner.commit()
    expect(outer.get('property', 'a')).toBeUndefined()
    expect(outer.get('storage', '41aa.0/00:ff')).toBe('2a')
  })

  test('error: a history is only written by blocks', () => {
    const overlay = createOverlay(createHistory())
    overlay.set('property', 'a', 1n)
    expect(() => overlay.commit()).toThrow('read-only')
  })
})
