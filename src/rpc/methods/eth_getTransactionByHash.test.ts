import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext, headBlock } from '../../../test/support/context.ts'
import { labels } from '../../../test/support/recordedChain.ts'
import { eth_getTransactionByHash } from './eth_getTransactionByHash.ts'

const unknown = `0x${'ab'.repeat(32)}`

test('default', async () => {
  const { id } =
    labels.transactions.find(({ label }) => label === 'transfer exact int64 9007199254740993') ?? {}
  expect(await callMethod(eth_getTransactionByHash, await createReplayContext(), [id]))
    .toMatchInlineSnapshot(`
      {
        "blockHash": "0x000000000000007df54617720a087ba0fb9513e4ba2fd09b91d4d15f89d1b837",
        "blockNumber": "0x7d",
        "blockTimestamp": "0x6b018559",
        "chainId": "0xb24e27cc",
        "from": "0x44257cd2acc97cf143c167dcadd5e5e2e1396c5e",
        "gas": "0x1",
        "gasPrice": "0x64",
        "hash": "0xa42e1fb005f57e8661628b7a1525b9adbff83a621be27bb1eb246ff36de1956c",
        "input": "0x",
        "nonce": "0x0",
        "r": "0x77ecf8864e005c95421682602eddfce853a10f1e788c5306b6f7c802e8f8907e",
        "s": "0xfe67884645f8ee0e90c3300120112e21a72cbd14934ee461c8084506aee72f5",
        "to": "0x6399de7edaab6f7ea18f6e9a53078897ceae5873",
        "transactionIndex": "0x2",
        "type": "0x0",
        "v": "0x1c",
        "value": "0x20000000000001",
        "yParity": "0x1",
      }
    `)
})

test('behavior: a transaction of genesis', async () => {
  const id = '0x6f38a5efe45b862bf522f6ea50c12377691c32d00c22d7096a5741f7af392dba'
  const result = await callMethod(eth_getTransactionByHash, await createReplayContext(), [id])
  expect(result).toMatchObject({ blockHash: headBlock(0).hash, blockNumber: '0x0' })
})

test('behavior: null for an unknown hash', async () => {
  expect(
    await callMethod(eth_getTransactionByHash, await createReplayContext(), [unknown]),
  ).toBeNull()
})

test('error: an unreachable node is an error, not an unknown hash', async () => {
  const context = await createReplayContext({ intercept: () => ({ status: 502, text: '' }) })
  await expect(callMethod(eth_getTransactionByHash, context, [unknown])).rejects.toMatchObject({
    code: -32603,
  })
})
