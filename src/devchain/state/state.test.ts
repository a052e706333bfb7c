import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { createHistory, createOverlay } from './state.ts'

const key = fc.constantFrom('a', 'b', 'c', 'd')
const changes = fc.dictionary(key, fc.option(fc.bigInt(), { nil: undefined }))

/** The operations of a chain: changes by a block or a tool, and truncations. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('apply' as const), changes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('truncate' as const), back: fc.nat(5) }) },
)

const named = (values: Record<string, bigint | undefined>) =>
  new Map(Object.entries(values).map(([name, value]) => [`property:${name}`, value]))

describe('createHistory', () => {
  test('default: every revision keeps its values', () => {
    const history = createHistory()
    history.apply(named({ a: 1n }))
    history.apply(named({ b: 1n }))
    history.apply(named({ a: 2n }))
    expect([-1, 0, 1, 2, 9].map((revision) => history.at(revision).get('property', 'a'))).toEqual([
      undefined,
      1n,
      1n,
      2n,
      2n,
    ])
    expect(history.get('property', 'a')).toBe(2n)
    expect(history.changedAt('property', 'a', 1)).toBe(0)
  })

  test('behavior: truncate removes a key that was first written after the point, twice', () => {
    const history = createHistory()
    history.apply(named({ a: 1n }))
    history.apply(named({ b: 1n }))
    history.apply(named({ a: undefined, b: 2n }))
    history.truncate(0)
    expect(history.get('property', 'a')).toBe(1n)
    expect(history.get('property', 'b')).toBeUndefined()
    expect(history.changesAt(1).size).toBe(0)
  })

  test('behavior: after any changes and truncations it equals a list of whole states', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const history = createHistory()
        let model: Record<string, bigint | undefined>[] = []
        for (const step of steps) {
          if (step.kind === 'apply') {
            history.apply(named(step.changes))
            model.push({ ...model.at(-1), ...step.changes })
          } else {
            const revision = Math.max(-1, history.revision() - step.back)
            history.truncate(revision)
            model = model.slice(0, revision + 1)
          }
          expect(history.revision()).toBe(model.length - 1)
          for (const [revision, values] of model.entries())
            for (const name of ['a', 'b', 'c', 'd'])
              expect(history.at(revision).get('property', name)).toBe(values[name])
        }
      }),
    )
  })
})

describe('createOverlay', () => {
  test('default: the parent does not see changes before the commit', () => {
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

  test('error: an overlay cannot commit to a history', () => {
    const overlay = createOverlay(createHistory())
    overlay.set('property', 'a', 1n)
    expect(() => overlay.commit()).toThrow('read-only')
  })
})
