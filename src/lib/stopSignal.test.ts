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
