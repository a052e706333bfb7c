import { expect, test } from 'vitest'

import { createStop } from './stopSignal.ts'

test('default', () => {
  const { signal, stop } = createStop()
  const heard: string[] = []
  const gone = () => heard.push('gone')
  signal.addEventListener('abort', () => heard.push('stays'))
  signal.addEventListener('abort', gone)
  signal.removeEventListener('abort', gone)
  expect([signal.aborted, signal.reason]).toEqual([false, undefined])
  expect(() => signal.throwIfAborted()).not.toThrow()
  stop(new Error('first'))
  stop(new Error('second'))
  expect(heard).toEqual(['stays'])
  expect(signal).toMatchObject({ aborted: true, reason: new Error('first') })
  expect(() => signal.throwIfAborted()).toThrow('first')
})
