import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'

import type { AnyMethod } from '../../src/rpc/method.ts'
import { methods } from '../../src/rpc/methods/index.ts'
import { post } from '../support/client.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { isLong } from '../support/long.ts'
import { CHAIN, keys, labels } from '../support/recordedChain.ts'

/** Every call returns a result or a specific error. The short run is deterministic. */

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

/** Values that belong somewhere, so that a call gets past some of its parameters. */
const plausible = fc.constantFrom<unknown>(
  'latest',
  'earliest',
  'finalized',
  '0x0',
  '0x1',
  '0x82',
  '0xdf',
  '0xffffffffffffffffffffffff',
  CHAIN.headHash,
  { blockHash: CHAIN.headHash },
  { blockNumber: '0x1' },
  `0x${labels.contracts.Token.tx}`,
  `0x${labels.contracts.Kitchen.address.slice(2)}`,
  keys.rich.eth,
  keys.bob.base58,
  { to: keys.bob.eth, value: '0x1' },
  { fromBlock: '0x0', toBlock: '0x5', topics: [null, []] },
  [10, 20],
  true,
  false,
  null,
  {},
  [],
)

/** Calls of a method; a refused one does not read its parameters. */
const runsOf = (method: AnyMethod) => (method.kind === 'refused' ? 1 : isLong ? 250 : 25)

test.each(Object.entries<AnyMethod>(methods))('%s', async (method, definition) => {
  const params = fc.array(fc.oneof({ arbitrary: plausible, weight: 4 }, fc.jsonValue()), {
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(params, async (params) => {
      const answer = await post(gateway.url, method, params)
      expect('result' in answer || 'error' in answer).toBe(true)
      expect(answer.error?.message).not.toBe('Internal error')
      expect(answer.error?.message).not.toBe('')
      expect(JSON.stringify(answer.error ?? '')).not.toMatch(/java|\bat .*\.ts|127\.0\.0\.1/)
    }),
    { numRuns: runsOf(definition), ...(!isLong && { seed: 1 }) },
  )
})
