import { expect, onTestFinished, test } from 'vitest'

import { limitsOf } from '../../test/support/httpServer.ts'
import { StoreUnavailableError } from '../lib/redis.ts'

test('behavior: headers of an answer while Redis cannot be used and nothing else counts', async () => {
  const limits = limitsOf({
    limits: { rate: 1 },
    link: {
      key: (name) => name,
      onStatus: () => () => true,
      script: () => () => Promise.reject(new StoreUnavailableError(new Error('connecting'))),
      status: () => 'down',
    },
    withoutRedis: 'closed',
  })
  onTestFinished(() => limits.stop())
  const caller = limits.callerOf({ address: '192.0.2.1', key: undefined, origin: undefined })
  expect(await limits.enter(caller, 'eth_chainId', [])).toMatchObject({ code: -32603 })
  expect(await limits.headers(caller)).toEqual({})
})
