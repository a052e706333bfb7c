import { expect, test } from 'vitest'

import { createStop } from './stopSignal.ts'

test('default', () => {
  const signal = createStop()
  const called: string[] = []
  const gone = () => called.push('gone')
  const stays = () => called.push('stays')
  signal.addEventListener('abort', gone)
  for (const listener of [stays, stays, () => called.push('another')])
    signal.addEventListener('abort', listener)
  signal.removeEventListener('abort', gone)
  expect([signal.aborted, signal.reason]).toEqual([false, undefined])
  expect(() => signal.throwIfAborted()).not.toThrow()
  signal.stop(new Error('first'))
  signal.stop(new Error('second'))
  expect(called).toEqual(['stays', 'another'])
  expect(signal).toMatchObject({ aborted: true, reason: new Error('first') })
  expect(() => signal.throwIfAborted()).toThrow('first')
})

test.each([
  ['another stop', () => createStop()],
  [
    'an AbortSignal',
    () => {
      const controller = new AbortController()
      return Object.assign(controller.signal, {
        stop: (reason: unknown) => controller.abort(reason),
      })
    },
  ],
] as const)('behavior: as a listener of %s it has the same reason', (_, create) => {
  const [first, removed, signal] = [createStop(), createStop(), create()]
  for (const stop of [first, removed]) signal.addEventListener('abort', stop, { once: true })
  signal.removeEventListener('abort', removed)
  signal.stop('over')
  expect(first).toMatchObject({ aborted: true, reason: 'over' })
  expect(removed.aborted).toBe(false)
})
