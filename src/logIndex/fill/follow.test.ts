import { getEventListeners } from 'node:events'

import { expect, test } from 'vitest'

import { createFollower } from './follow.ts'

/** A follower of an index that is complete at once. Options replace calls of its writer. */
function setup({
  coverage = async () => [],
  reconcile = async () => undefined,
}: { coverage?: () => Promise<[]>; reconcile?: () => Promise<undefined> } = {}) {
  const filled: { signals: Set<AbortSignal>; to: number } = { signals: new Set(), to: -1 }
  let reconciled = 0
  const follower = createFollower({
    writer: {
      async reconcile() {
        reconciled += 1
        return reconcile()
      },
      filler: {
        async complete({ to }, _, signal) {
          if (signal) filled.signals.add(signal)
          filled.to = to
        },
      },
      store: {
        append: async () => undefined,
        coverage,
        remove: async () => {},
        segments: async () => [],
      },
    },
  })
  return { filled, follower, reconciled: () => reconciled }
}

test('behavior: following adds no listener for each new block', async () => {
  const { filled, follower } = setup()
  const stopping = new AbortController()
  const running = follower.run(stopping.signal)
  follower.solidified(127)
  await expect.poll(() => follower.status().state).toBe('following')
  for (let group = 3; group < 60; group++) {
    follower.solidified(group * 64 - 1)
    await expect.poll(() => filled.to, { interval: 1 }).toBe((group - 1) * 64 - 1)
  }
  for (const signal of [stopping.signal, ...filled.signals])
    expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1)
  stopping.abort()
  await running
})

test('behavior: a recheck compares the index and begins again from the new solidified block', async () => {
  const { filled, follower, reconciled } = setup()
  const stopping = new AbortController()
  const running = follower.run(stopping.signal)
  follower.solidified(1_023)
  await expect.poll(() => follower.status().state).toBe('following')
  follower.recheck(500)
  expect(follower.status().state).toBe('starting')
  await expect.poll(() => follower.status().state).toBe('following')
  expect(reconciled()).toBe(2)
  follower.solidified(600)
  await expect.poll(() => filled.to).toBe(511)
  stopping.abort()
  await running
})

test('behavior: a recheck during a comparison waits for a comparison of its own', async () => {
  const compared: (() => void)[] = []
  const { follower, reconciled } = setup({
    reconcile: () => new Promise((resolve) => compared.push(() => resolve(undefined))),
  })
  const stopping = new AbortController()
  const running = follower.run(stopping.signal)
  follower.solidified(1_023)
  await expect.poll(reconciled).toBe(1)
  follower.recheck(500)
  compared[0]?.()
  await expect.poll(reconciled).toBe(2)
  expect(follower.status().state).toBe('starting')
  compared[1]?.()
  await expect.poll(() => follower.status().state).toBe('following')
  stopping.abort()
  await running
})

test('behavior: a failed read of the coverage is retried', async () => {
  const { follower } = setup({
    coverage: () => Promise.reject(new Error('the database is away')),
  })
  const stopping = new AbortController()
  const running = follower.run(stopping.signal)
  follower.solidified(1_023)
  await expect.poll(() => follower.status().problem).toBe('the database is away')
  stopping.abort()
  await running
})
