import type { Hash } from 'viem'
import { expect, test } from 'vitest'

import type { RpcLog } from '../../codec/types.ts'
import { wireOf } from '../../lib/wire.ts'
import type { RecentBlock } from '../head/headTypes.ts'
import { pageFrom } from './page.ts'

/** More than one call of a function takes as arguments. */
const MANY = 200_000

test.each([
  ['old blocks', 100],
  ['recent blocks', 1],
])('behavior: a page of %s may have any number of logs', async (_, lowest) => {
  const hashOf = (number: number): Hash => `0x${number.toString(16).padStart(64, '0')}`
  const log = { address: '0x01', topics: [] } as unknown as RpcLog
  const block = (number: number, logs: RpcLog[]) =>
    ({ hash: hashOf(number), logs, number, parentHash: hashOf(number - 1) }) as RecentBlock
  const recent = block(lowest, lowest === 1 ? Array.from({ length: MANY }, () => log) : [])
  const rows = Array.from({ length: MANY }, () => wireOf<RpcLog>(Buffer.from('{}')))
  const page = await pageFrom(
    { addresses: [], kind: 'logs', scanFrom: 0, topics: [], view: 'full' },
    { hash: hashOf(0), number: 0 },
    {
      chain: { logRows: async () => rows, resolve: async () => ({ hash: hashOf(99), number: 99 }) },
      head: { window: () => ({ blocks: [recent], orphans: new Map(), solidified: recent }) },
      limit: Infinity,
    },
  )
  expect(page?.items).toHaveLength(MANY)
})
