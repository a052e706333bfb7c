import { setImmediate } from 'node:timers/promises'

import { describe, expect, onTestFinished, test } from 'vitest'

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

  test('behavior: aborts together with its parent signal', () => {
    const parent = new AbortController()
    const [open, over] = [openCallGroup(parent.signal), openCallGroup(parent.signal)]
    over.end()
    parent.abort(new Error('gone'))
    expect(open.signal.reason).toEqual(new Error('gone'))
    expect(over.signal.aborted).toBe(false)
    expect(openCallGroup(parent.signal).signal.aborted).toBe(true)
  })

  test('behavior: all calls of a large batch listen to it without a warning', async () => {
    const warnings: string[] = []
    const note = ({ name }: Error) => void warnings.push(name)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const { signal } = openCallGroup(new AbortController().signal)
    for (let call = 0; call < 100; call++) signal.addEventListener('abort', () => {})
    await setImmediate()
    expect(warnings).not.toContain('MaxListenersExceededWarning')
  })
})
