import { expect, onTestFinished, test, vi } from 'vitest'

import { createMemoryFilterStore } from './memory.ts'
import { describeFilterStore } from './store.contract.ts'

describeFilterStore('createMemoryFilterStore', async (limits) => {
  let time = 0
  return {
    store: createMemoryFilterStore({ ...limits, now: () => time }),
    async pass(milliseconds) {
      time += milliseconds
    },
    async close() {},
  }
})

test('behavior: a change of the system clock does not expire a filter', async () => {
  const store = createMemoryFilterStore({
    bytesPerClient: 1_000,
    bytesTotal: 1_000,
    lease: 60_000,
    perClient: 2,
    total: 2,
    ttl: 60_000,
  })
  const id = await store.create(
    { client: 'a' },
    { cursor: '1:0x01', spec: { kind: 'blocks', view: 'full' } },
  )
  vi.useFakeTimers({ now: Date.now() + 600_000, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(await store.claim(id, 'one', 'nothing')).toMatchObject({ cursor: '1:0x01' })
})
