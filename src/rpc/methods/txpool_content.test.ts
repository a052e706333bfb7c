import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { recordedNative } from '../../../test/support/node.ts'
import { keys } from '../../../test/support/recordedChain.ts'
import { eth_pendingTransactions } from './eth_pendingTransactions.ts'
import { txpool_content } from './txpool_content.ts'
import { txpool_inspect } from './txpool_inspect.ts'
import { txpool_status } from './txpool_status.ts'

const LIST = '/wallet/gettransactionlistfrompending'

/** A node in whose pool copies of one transaction wait. */
const withPool = (ids: string[], managed: string[] = []) =>
  createReplayContext({
    keys: managed,
    intercept({ body, path }) {
      if (path === LIST) return { text: JSON.stringify({ txId: ids }) }
      if (path === '/wallet/getpendingsize') return { text: `{"pendingSize": ${ids.length}}` }
      if (!/gettransaction(byid|infobyid|frompending)$/.test(path)) return undefined
      const { value } = JSON.parse(body) as { value: string }
      if (!ids.includes(value)) return undefined
      if (path.endsWith('infobyid')) return { text: '{}' }
      const block = JSON.parse(recordedNative('/wallet/getblockbynum', { num: 130 })) as {
        transactions: [{ raw_data: { expiration: number } }]
      }
      const [transaction] = block.transactions
      const raw_data = { ...transaction.raw_data, expiration: Number.MAX_SAFE_INTEGER }
      return { text: JSON.stringify({ ...transaction, raw_data, txID: value }) }
    },
  })

test('default: an empty pool', async () => {
  const context = await withPool([])
  expect(await callMethod(txpool_content, context, [])).toEqual({ pending: {}, queued: {} })
  expect(await callMethod(txpool_inspect, context, [])).toEqual({ pending: {}, queued: {} })
  expect(await callMethod(txpool_status, context, [])).toEqual({ pending: '0x0', queued: '0x0' })
})

test('behavior: each native transaction has a separate key, because it has no nonce', async () => {
  const context = await withPool(['a1'.repeat(32), 'b2'.repeat(32)])
  const { pending } = await callMethod(txpool_content, context, [])
  const [[from, own] = []] = Object.entries(pending)
  expect(Object.keys(own ?? {}).toSorted()).toEqual(['2147483646', '2147483647'])
  expect(Object.values(own ?? {})).toMatchObject([{ from, blockHash: null }, { from }])
  expect(await callMethod(txpool_status, context, [])).toEqual({ pending: '0x2', queued: '0x0' })
  const { pending: lines } = await callMethod(txpool_inspect, context, [])
  expect(Object.values(lines[from as `0x${string}`] ?? {})[0]).toMatch(
    /^contract creation: 1000 wei \+ \d+ gas × 210 wei$/,
  )
})

test('behavior: eth_pendingTransactions lists those of managed accounts', async () => {
  const ids = ['a1'.repeat(32)]
  const listed = async (managed: string[]) =>
    callMethod(eth_pendingTransactions, await withPool(ids, managed), [])
  expect(await listed([keys.bob.pk, keys.alice.pk])).toMatchObject([
    { blockHash: null, from: keys.bob.eth, hash: `0x${ids[0]}` },
  ])
  expect(await listed([keys.alice.pk])).toEqual([])
  // Without an account the node is not asked.
  const context = await withPool(ids)
  expect(await callMethod(eth_pendingTransactions, context, [])).toEqual([])
  expect(context.node.requests.total()).toBe(0)
})

test('error: a pool that is too large to read', async () => {
  const ids = Array.from({ length: 1001 }, (_, index) => index.toString(16).padStart(64, '0'))
  await expect(callMethod(txpool_content, await withPool(ids), [])).rejects.toMatchObject({
    code: -32005,
  })
})
