import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { createCalls } from './calls.ts'
import type { ReaderData } from './reader.ts'
import { startThread } from './start.ts'

test('default: a thread from the sources answers calls', async () => {
  const address = mkdtempSync(join(tmpdir(), 'ethgate-thread-'))
  onTestFinished(() => rmSync(address, { force: true, recursive: true }))
  const data: ReaderData = { address, deadline: 1_000, genesis: '00'.repeat(32) }
  const thread = startThread('reader', data)
  const exit = once(thread, 'exit')
  const call = createCalls(thread)
  expect(await call('coverage')).toMatchObject({ ranges: [] })
  await call('close')
  await thread.terminate()
  await exit
})
