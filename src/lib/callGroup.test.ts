import { describe, expect, test } from 'vitest'

import { callGroupOf, openCallGroup } from './callGroup.ts'

describe('openCallGroup', () => {
  test('default', () => {
    const parent = new AbortController()
    const [a, b] = [openCallGroup(parent.signal), openCallGroup(parent.signal)]
    expect(callGroupOf(a.signal)).toBeDefined()
    expect(callGroupOf(a.signal)).not.toBe(callGroupOf(b.signal))
    expect(callGroupOf(parent.signal)).toBeUndefined()
    expect(callGroupOf(undefined)).toBeUndefined()
  })

  test('behavior: ends with the signal that it was made from', () => {
    const parent = new AbortController()
    const [open, over] = [openCallGroup(parent.signal), openCallGroup(parent.signal)]
    over.end()
    parent.abort(new Error('gone'))
    expect(open.signal.reason).toEqual(new Error('gone'))
    expect(over.signal.aborted).toBe(false)
    expect(openCallGroup(parent.signal).signal.aborted).toBe(true)
  })
})
