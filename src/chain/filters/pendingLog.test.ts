import { expect, test } from 'vitest'

import { describePendingLog } from './pendingLog.contract.ts'
import { createMemoryPendingLog } from './pendingLog.ts'

describePendingLog('createMemoryPendingLog', async (options) => createMemoryPendingLog(options))

test('behavior: a request to watch the mempool expires', async () => {
  let now = 0
  const log = createMemoryPendingLog({ now: () => now })
  await log.want(1_000, 1)
  now = 1_000
  expect(await log.wanted()).toBeUndefined()
  expect(await log.want(1_000, 2)).toEqual({ height: 2, milliseconds: 1_000 })
})
