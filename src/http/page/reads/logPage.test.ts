import { expect, test } from 'vitest'

import { readLogPage } from './logPage.ts'
import type { Source } from './source.ts'

/** A chain of 200 blocks with a log in each, of which a reorg replaces those above 150 after some searches. */
function chainOf({ reorgAfter, solid }: { reorgAfter: number; solid: number }) {
  let searches = 0
  const hashAt = (number: number) =>
    `0x${(number > 150 && searches >= reorgAfter ? 'b' : 'a').repeat(64)}`
  const ask = async (method: string, filter: { fromBlock: string; toBlock: string }) => {
    if (method === 'eth_getBlockByNumber') return { hash: hashAt(Number(filter)) }
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)]
    const logs = Array.from({ length: to - from + 1 }, (_, index) => ({
      blockNumber: `0x${(from + index).toString(16)}`,
      blockHash: hashAt(from + index),
      logIndex: '0x0',
    }))
    searches++
    return logs
  }
  return { ask, solid: async () => solid } as unknown as Source
}

const ALL = { from: 0, to: 199, isAscending: true, limit: 200 }

test.each([true, false])(
  'error: a reorg between the searches of a page, ascending %s',
  async (isAscending) => {
    const source = chainOf({ reorgAfter: 1, solid: 90 })
    await expect(readLogPage([{}], { ...ALL, isAscending }, source)).rejects.toThrow(
      'a reorg replaced blocks of this page',
    )
  },
)

test.each([
  ['without a reorg', { reorgAfter: Infinity, solid: 90 }, ALL],
  ['a reorg above the range', { reorgAfter: 1, solid: 20 }, { ...ALL, to: 150 }],
  ['solidified blocks are not compared', { reorgAfter: 1, solid: 199 }, ALL],
])('behavior: %s', async (_, chain, range) => {
  const { logs, next } = await readLogPage([{}], range, chainOf(chain))
  expect(logs).toHaveLength(range.to + 1)
  expect(next).toBeUndefined()
})
