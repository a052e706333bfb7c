import { describe, expect, test } from 'vitest'

import type { Call } from './call.ts'
import { createStop } from './stopSignal.ts'
import { together } from './together.ts'

describe('together', () => {
  test('default: the results in order; the parts are of the group of the work', async () => {
    const work = { caller: { id: 'a', limits: {} }, group: {}, signal: createStop() }
    let own: Call | undefined
    const results = await together(work, (call) => {
      own = call
      return [Promise.resolve(1), Promise.resolve(2)]
    })
    expect(results).toEqual([1, 2])
    expect([own?.caller, own?.group]).toEqual([work.caller, work.group])
    expect(own?.group).toBe(work.group)
    // What nobody waits for any more stops.
    expect(own?.signal?.aborted).toBe(true)
    expect(work.signal.aborted).toBe(false)
  })

  test('error: the first failure stops the others', async () => {
    let own: Call | undefined
    const failure = new Error('a part failed')
    const work = together(undefined, (call) => {
      own = call
      return [Promise.reject(failure), new Promise(() => {})]
    })
    await expect(work).rejects.toBe(failure)
    expect(own?.signal?.reason).toBe(failure)
  })

  test('error: a parent that is aborted', async () => {
    const parent = new AbortController()
    const work = together(parent, ({ signal }) => [
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
    ])
    parent.abort(new Error('gone'))
    await expect(work).rejects.toThrow('gone')
  })
})
