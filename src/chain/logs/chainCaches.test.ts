import { expect, test } from 'vitest'

import { toPrepared } from '../../lib/prepared.ts'
import type { LogOrigin } from '../blocks/chainTypes.ts'
import { createChainCaches } from './chainCaches.ts'

test('behavior: a cached answer counts where its logs were found, which can be more than its text', () => {
  const config = { cacheBytes: 8_000_000, feeSignal: 'legacy', logsConcurrency: 1 } as const
  const blocks = { epoch: () => 0, hashAt: () => undefined } as never
  const { answers } = createChainCaches({ blocks, config, head: {} as never, native: {} as never })
  const origins = Array.from({ length: 5_000 }, (_, block): LogOrigin => ({
    from: block,
    to: block,
    source: block % 2 === 0 ? 'memory' : 'receipts',
  }))
  for (let search = 0; search < 100; search++)
    answers.set(`search ${search}`, { logs: toPrepared([]), origins })
  // A million bytes for answers, each origin with an address and three members.
  expect(answers.size).toBeLessThan(10)
})
