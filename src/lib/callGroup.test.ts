import { setImmediate } from 'node:timers/promises'

import { describe, expect, onTestFinished, test } from 'vitest'

import { callGroupOf, openCallGroup, together } from './callGroup.ts'

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

describe('together', () => {
  test('default: the results in order; the parts are of the group of the work', async () => {
    const group = openCallGroup(new AbortController().signal)
    let own: AbortSignal | undefined
    const results = await together(group.signal, (signal) => {
      own = signal
      return [Promise.resolve(1), Promise.resolve(2)]
    })
    expect(results).toEqual([1, 2])
    expect(callGroupOf(own)).toBe(callGroupOf(group.signal))
    // What nobody waits for any more stops.
    expect(own?.aborted).toBe(true)
    expect(group.signal.aborted).toBe(false)
  })

  test('error: the first failure stops the others', async () => {
    let own: AbortSignal | undefined
    const failure = new Error('a part failed')
    const work = together(undefined, (signal) => {
      own = signal
      return [Promise.reject(failure), new Promise(() => {})]
    })
    await expect(work).rejects.toBe(failure)
    expect(own?.reason).toBe(failure)
  })

  test('error: a parent that is aborted', async () => {
    const parent = new AbortController()
    const work = together(parent.signal, (signal) => [
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
    ])
    parent.abort(new Error('gone'))
    await expect(work).rejects.toThrow('gone')
  })
})
