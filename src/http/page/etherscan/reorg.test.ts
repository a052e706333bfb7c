import { expect, test } from 'vitest'

import type { Source } from '../reads/source.ts'
import { account } from './account.ts'
import { logs } from './logs.ts'

const ADDRESS = `0x${'11'.repeat(20)}`
const TOPIC = `0x${'22'.repeat(32)}`

/** A chain of 100 blocks, of which a reorg replaces those above 50 after the first search. */
function reorged({ solid }: { solid: number }): Source {
  let searches = 0
  const ask = async (method: string, block: unknown) => {
    if (method === 'eth_getBlockByNumber')
      return { hash: Number(block) > 50 && searches > 0 ? '0xb' : '0xa' }
    searches++
    if (method === 'eth_getLogs') return []
    if (method === 'ethgate_getTransactions')
      return { transactions: [], complete: true, older: searches > 1 ? null : '0x', newer: null }
    return { txs: [], receipts: [], firstPage: true, lastPage: true }
  }
  return { ask, head: async () => 99, solid: async () => solid } as unknown as Source
}

const LISTS = {
  txlist: account['txlist'],
  txlistinternal: account['txlistinternal'],
  getLogs: logs['getLogs'],
}

const query = { address: ADDRESS, sort: 'desc', topic0: TOPIC, topic1: TOPIC, topic0_1_opr: 'or' }

test.each(Object.entries(LISTS))('error: a reorg between the searches of %s', async (_, list) => {
  const ask = (more: Record<string, string>, solid: number) =>
    list?.((name) => ({ ...query, ...more })[name], reorged({ solid }))
  await expect(ask({}, 40)).rejects.toThrow('a reorg replaced blocks of this page')
  // An empty list: none of its blocks were replaced.
  await expect(ask({ endblock: '50', toBlock: '50' }, 40)).rejects.toThrow(/^$/)
  await expect(ask({}, 99)).rejects.toThrow(/^$/)
})
