import { expect, test } from 'vitest'

import { createMemoryFilterStore } from '../../src/chain/filters/memory.ts'
import { createSubscriptionMemory } from '../../src/chain/subscriptions/memory.ts'
import { limitOptions } from '../../src/config/options/limits.ts'
import { createHeldBytes } from '../../src/lib/heldBytes.ts'

const {
  filterBytesPerClient: { default: bytesPerClient },
  filterBytesTotal: { default: bytesTotal },
  filtersPerClient: { default: perClient },
  filtersTotal: { default: total },
  heldBytes: { default: heldBytes },
  subscriptionsPerClient: { default: subscriptions },
} = limitOptions

const addresses = [`0x${'ab'.repeat(20)}`]
const topics = [[`0x${'cd'.repeat(32)}`]]

test.each([
  { kind: 'newHeads', unit: 'sun' },
  { kind: 'newPendingTransactions' },
  { kind: 'syncing' },
  { kind: 'transactionStatus', transaction: topics[0]?.[0] },
  { kind: 'logs', addresses, topics },
])('default: as many subscriptions to $kind as one client may have fit in its memory', (spec) => {
  const held = createHeldBytes({ limit: heldBytes, share: heldBytes / 2 })
  const memory = createSubscriptionMemory({ bytesPerClient, bytesTotal, held })
  for (let count = 0; count < subscriptions; count++) memory.take('a', spec)
  expect(() => memory.take('b', spec)).not.toThrow()
})

test('default: as many filters as one client, and all, may have fit in their memory', async () => {
  const limits = { bytesPerClient, bytesTotal, lease: 1, perClient, total, ttl: 1e9 }
  const held = createHeldBytes({ limit: heldBytes, share: heldBytes / 2 })
  const store = createMemoryFilterStore({ ...limits, held })
  const spec = { kind: 'logs', view: 'full', addresses, topics, scanFrom: 1e9 } as const
  for (let count = 0; count < total; count++)
    await store.create({ client: String(Math.floor(count / perClient)) }, { cursor: '', spec })
  expect(store.usage().filters).toBe(total)
})
