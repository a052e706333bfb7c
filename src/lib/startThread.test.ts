import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

import { expect, onTestFinished, test } from 'vitest'

import type { HeapLimit } from '../../test/support/heapLimitThread.ts'
import type { ReaderData } from '../logIndex/worker/reader.ts'
import { startThread } from './startThread.ts'
import { createCalls } from './threadCalls.ts'

test('default: a thread from the sources answers calls', async () => {
  const address = mkdtempSync(join(tmpdir(), 'ethgate-thread-'))
  onTestFinished(() => rmSync(address, { force: true, recursive: true }))
  const data: ReaderData = { address, deadline: 1_000, genesis: '00'.repeat(32) }
  const beside = new URL('../logIndex/worker/thread.ts', import.meta.url).href
  const thread = startThread(beside, 'reader', { workerData: data })
  const exit = once(thread, 'exit')
  const call = createCalls(thread)
  expect(await call('coverage')).toMatchObject({ ranges: [] })
  await expect(call('nothing')).rejects.toThrow('the thread has no function nothing')
  await call('close')
  await thread.terminate()
  await exit
})

test.each(['--max-old-space-size=2000', '--max-heap-size=2000'])(
  'behavior: a thread has its own limit in a process with %s',
  async (flag) => {
    setFlagsFromString(flag)
    const before = getHeapStatistics().heap_size_limit
    const beside = new URL('../../test/support/index.ts', import.meta.url).href
    const thread = startThread(beside, 'heapLimitThread', {
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    })
    const [limit] = (await once(thread, 'message')) as [HeapLimit]
    await thread.terminate()
    expect(limit).toBeLessThan(500 * 2 ** 20)
    expect(getHeapStatistics().heap_size_limit).toBe(before)
  },
)
