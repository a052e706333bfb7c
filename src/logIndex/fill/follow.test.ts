import { getEventListeners } from 'node:events'

import { expect, test } from 'vitest'

import { createFollower } from './follow.ts'

/** A follower of an index that is complete at once. */
function setup() {
  const filled: { signals: Set<AbortSignal>; to: number } = { signals: new Set(), to: -1 }
  let reconciled = 0
  const follower = createFollower({
    writer: {
      async reconcile() {
        reconciled += 1
        return undefined
      },
      filler: {
        async complete({ to }, _, signal) {
          if (signal) filled.signals.add(signal)
          filled.to = to
        },
      },
      store: {
        append: async () => undefined,
        coverage: async () => [],
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
