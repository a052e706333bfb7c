import { expect, test } from 'vitest'

import { createStop } from './stopSignal.ts'
import { within } from './within.ts'

const late = new Error('late')
const never = new Promise<never>(() => {})

test('default', async () => {
  expect(await within(Promise.resolve(1), 10_000, () => late)).toBe(1)
  await expect(within(Promise.reject(new Error('no')), 10_000, () => late)).rejects.toThrow('no')
})

test('error: the time is over', async () => {
  await expect(within(never, 1, () => late)).rejects.toBe(late)
})

test('error: the signal is aborted, before or meanwhile', async () => {
  const signal = createStop()
  const waiting = within(never, 10_000, () => late, signal)
  signal.stop(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  await expect(within(never, 10_000, () => late, signal)).rejects.toThrow('gone')
})
