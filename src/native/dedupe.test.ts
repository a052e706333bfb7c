import { describe, expect, test } from 'vitest'

import type { Call } from '../lib/call.ts'
import type { StopSignal } from '../lib/stopSignal.ts'
import { createDedupe } from './dedupe.ts'

/** A call that ends when the test resolves it. */
function scripted() {
  const calls: {
    signal: StopSignal | undefined
    resolve: (value: string) => void
    reject: (error: Error) => void
  }[] = []
  const run = ({ signal }: Call = {}) =>
    new Promise<string>((resolve, reject) => {
      calls.push({ signal, resolve, reject })
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  return { calls, run }
}

describe('createDedupe', () => {
  test('default', async () => {
    const dedupe = createDedupe()
    const { calls, run } = scripted()
    const both = [dedupe('a', undefined, run), dedupe('a', undefined, run)]
    calls[0]?.resolve('x')
    expect(await Promise.all(both)).toEqual(['x', 'x'])
    expect(calls).toHaveLength(1)
  })

  test('behavior: other keys and later calls are calls of their own', async () => {
    const dedupe = createDedupe()
    const { calls, run } = scripted()
    const first = dedupe('a', undefined, run)
    const other = dedupe('b', undefined, run)
    calls[0]?.resolve('1')
    calls[1]?.resolve('2')
    expect([await first, await other]).toEqual(['1', '2'])
    const later = dedupe('a', undefined, run)
    calls[2]?.resolve('3')
    expect(await later).toBe('3')
  })

  test('behavior: the abort of one caller does not affect the others', async () => {
    const dedupe = createDedupe()
    const { calls, run } = scripted()
    const aborting = new AbortController()
    const stayer = new AbortController()
    const left = dedupe('a', aborting, run)
    const stays = dedupe('a', stayer, run)
    aborting.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    expect(calls[0]?.signal?.aborted).toBe(false)
    calls[0]?.resolve('x')
    expect(await stays).toBe('x')
  })

  test('behavior: when the last caller has aborted, the call is aborted and no caller joins it', async () => {
    const dedupe = createDedupe()
    const { calls, run } = scripted()
    const one = new AbortController()
    const two = new AbortController()
    const left = [dedupe('a', one, run), dedupe('a', two, run)]
    const ended = Promise.allSettled(left)
    one.abort(new Error('gone'))
    two.abort(new Error('gone too'))
    expect(calls[0]?.signal?.aborted).toBe(true)
    const next = dedupe('a', undefined, run)
    calls[1]?.resolve('new')
    expect(await next).toBe('new')
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  test('behavior: a caller without a signal keeps the call running', async () => {
    const dedupe = createDedupe()
    const { calls, run } = scripted()
    const aborting = new AbortController()
    const stays = dedupe('a', undefined, run)
    const left = dedupe('a', aborting, run)
    aborting.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    expect(calls[0]?.signal).toBeUndefined()
    calls[0]?.resolve('x')
    expect(await stays).toBe('x')
  })

  test('error: all of them get it', async () => {
    const dedupe = createDedupe()
    const { calls, run } = scripted()
    const both = Promise.allSettled([
      dedupe('a', undefined, run),
      dedupe('a', new AbortController(), run),
    ])
    calls[0]?.reject(new Error('broken'))
    expect(await both).toMatchObject([
      { reason: { message: 'broken' } },
      { reason: { message: 'broken' } },
    ])
  })

  test('error: a caller that has already aborted sends no call', async () => {
    const { calls, run } = scripted()
    const gone = { signal: AbortSignal.abort(new Error('gone')) }
    await expect(createDedupe()('a', gone, run)).rejects.toThrow('gone')
    expect(calls).toHaveLength(0)
  })
})
