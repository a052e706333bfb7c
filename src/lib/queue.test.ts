import { expect, test } from 'vitest'

import { createQueue } from './queue.ts'
import { sleep } from './sleep.ts'

test('default: one after the other, in the order of the calls', async () => {
  const queue = createQueue()
  const done: string[] = []
  const work = (name: string, ms: number) => async () => {
    done.push(`${name} begins`)
    await sleep(ms)
    done.push(`${name} ends`)
    return name
  }
  expect(await Promise.all([queue(work('a', 20)), queue(work('b', 1))])).toEqual(['a', 'b'])
  expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
})

test('behavior: work that fails does not stop the work after it', async () => {
  const queue = createQueue()
  const failed = queue(() => {
    throw new Error('failed')
  })
  const next = queue(() => 'next')
  await expect(failed).rejects.toThrow('failed')
  expect(await next).toBe('next')
})
