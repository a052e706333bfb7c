import { expect, test } from 'vitest'

import { logRangeFilter } from '../params/logPageParam.ts'
import { toRangeQuery } from './logRange.ts'

test.each([
  ['default: no bounds is the newest block', {}, 'latest', 'latest'],
  ['args: only a start goes on to the newest block', { fromBlock: '0x5' }, 5, 'latest'],
  ['args: only an end: that block alone', { toBlock: '0x5' }, 5, 5],
  ['args: only a tag as the end is that block', { toBlock: 'finalized' }, 'finalized', 'finalized'],
  ['args: both', { fromBlock: 'earliest', toBlock: '0x9' }, 'earliest', 9],
])('%s', (_, filter, fromBlock, toBlock) => {
  expect(toRangeQuery(logRangeFilter(filter))).toEqual({
    addresses: [],
    fromBlock,
    toBlock,
    topics: [],
  })
})

test('behavior: addresses and topics do not change', () => {
  const [address, topic] = [`0x${'22'.repeat(20)}`, `0x${'33'.repeat(32)}`]
  const filter = logRangeFilter({ address, topics: [null, [topic]] })
  expect(toRangeQuery(filter)).toMatchObject({
    addresses: [address],
    topics: [null, [topic]],
  })
})
