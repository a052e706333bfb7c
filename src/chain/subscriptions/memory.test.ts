import { expect, test } from 'vitest'

import { createHeldBytes } from '../../lib/heldBytes.ts'
import { createSubscriptionMemory } from './memory.ts'

const filter = { addresses: Array.from({ length: 1_000 }, () => `0x${'ab'.repeat(20)}`) }

test('default: large filters of one client, then of all, reach the limits of filters', () => {
  const held = createHeldBytes()
  const memory = createSubscriptionMemory({ bytesPerClient: 500_000, bytesTotal: 800_000, held })
  const taken = [1, 2, 3].map(() => ({ bytes: memory.take('a', filter), socket: { client: 'a' } }))
  expect(held.total('subscriptions')).toBeGreaterThan(300_000)
  expect(() => memory.take('a', filter)).toThrow('exceed max bytes of subscriptions')
  for (let count = 0; count < 2; count++) memory.take('b', filter)
  expect(() => memory.take('c', filter)).toThrow('exceed max bytes of subscriptions')
  // The second time does nothing.
  for (const one of [...taken, ...taken]) memory.give(one)
  memory.take('c', filter)
})

test('error: the bytes that are held for all clients are used up', () => {
  const held = createHeldBytes({ limit: 200_000 })
  const memory = createSubscriptionMemory({ bytesPerClient: 1e9, bytesTotal: 1e9, held })
  memory.take('a', filter)
  expect(() => memory.take('b', filter)).toThrow('exceed max bytes of subscriptions')
  expect(held.total()).toBeLessThan(200_000)
})
