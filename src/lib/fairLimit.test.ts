import { expect, test } from 'vitest'

import type { Call } from './call.ts'
import { createFairLimit } from './fairLimit.ts'

const caller = (id: string): Call => ({ caller: { id, limits: {} } })

test('default', async () => {
  const limit = createFairLimit(2)
  let running = 0
  let most = 0
  const work = async (index: number) => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    return index
  }
  const results = await Promise.all([1, 2, 3, 4, 5].map((index) => limit(() => work(index))))
  expect(results).toEqual([1, 2, 3, 4, 5])
  expect(most).toBe(2)
})

test('behavior: callers get places in turn', async () => {
  const limit = createFairLimit(1)
  const [heavy, light] = [caller('heavy'), caller('light')]
  const order: string[] = []
  const add = (name: string, call: Call) => limit(async () => void order.push(name), call)
  await Promise.all([
    ...['h1', 'h2', 'h3', 'h4'].map((name) => add(name, heavy)),
    ...['l1', 'l2'].map((name) => add(name, light)),
  ])
  expect(order).toEqual(['h1', 'h2', 'l1', 'h3', 'l2', 'h4'])
})

test('error: work that fails gives its place back', async () => {
  const limit = createFairLimit(1)
  const failing = limit(() => Promise.reject(new Error('broken')))
  const next = limit(async () => 'done')
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('done')
})
