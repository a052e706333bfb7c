import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { createFileUsageStore, createUsage } from './usage.ts'

const DAY_MS = 86_400_000
const NOON = Date.UTC(2027, 0, 31, 12)

test('behavior: calls are counted on their day, also when the clock is set back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-usage-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const clock = { now: NOON }
  const store = createFileUsageStore(join(folder, 'usage.json'), () => clock.now)
  const usage = createUsage({
    now: () => clock.now,
    onError(error) {
      throw error
    },
    store,
  })
  onTestFinished(() => usage.stop())

  const times = [NOON, NOON + DAY_MS / 2 - 1, NOON + DAY_MS / 2, NOON]
  for (const time of times) {
    clock.now = time
    usage.add('alice', 'eth_call', 2)
  }
  await usage.flush()

  const row = { key: 'alice', method: 'eth_call' }
  expect(await store.read('2027-01-31')).toEqual([{ ...row, day: '2027-01-31', calls: 3, cost: 6 }])
  expect(await store.read('2027-02-01')).toEqual([{ ...row, day: '2027-02-01', calls: 1, cost: 2 }])
})
