import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createNodeClient, type NativeClient } from '../../src/native/client.ts'
import { createHttpTransport } from '../../src/native/transport/transport.ts'
import { recordedRpc, type ReplayNode, startReplayNode } from './node.ts'
import { CHAIN, keys, labels } from './recordedChain.ts'

let node: ReplayNode
let native: NativeClient

beforeAll(async () => {
  node = await startReplayNode()
  native = createNodeClient({ transport: createHttpTransport({ upstream: node.url }) })
})

afterAll(async () => {
  await native.close()
  await node.close()
})

describe('startReplayNode', () => {
  test('default', async () => {
    const block = await native.wallet.getNowBlock()
    expect(`0x${block.blockID}`).toBe(CHAIN.headHash)
    expect(await native.solidity.getBlock({ id_or_num: '223' })).toEqual(block)
  })

  test('behavior: int64 beyond 2^53 is exact', async () => {
    const id = labels.transactions.find(({ label }) => label.includes('exact int64'))?.id ?? ''
    const transaction = await native.wallet.getTransactionById({ value: id })
    expect(transaction?.raw_data.contract?.[0]?.parameter?.value).toMatchObject({
      amount: 9007199254740993n,
    })
  })

  test('behavior: ranges are put together from recorded blocks', async () => {
    const { block = [] } = await native.wallet.getBlockByLimitNext({ startNum: 100, endNum: 200 })
    expect(block.map(({ block_header }) => block_header.raw_data.number)).toEqual(
      Array.from({ length: 100 }, (_, index) => 100 + index),
    )
    const latest = await native.solidity.getBlockByLatestNum({ num: 4 })
    expect(latest.block?.[0]?.block_header.raw_data.number).toBe(220)
  })

  test('behavior: a block that was not recorded is unknown', async () => {
    expect(await native.wallet.getTransactionById({ value: '12'.repeat(32) })).toBeUndefined()
    expect(await native.wallet.getAccount({ address: `41${'12'.repeat(20)}` })).toBeUndefined()
    expect(await native.wallet.getBlock({ id_or_num: '224' })).toBeUndefined()
    expect(await native.wallet.getTransactionInfoByBlockNum({ num: 500 })).toEqual([])
  })

  test('behavior: counts requests', async () => {
    node.requests.reset()
    await native.wallet.getAccount({ address: keys.alice.hex })
    await native.solidity.getAccount({ address: keys.alice.hex })
    expect(node.requests.total()).toBe(2)
    expect(node.requests.count('/wallet')).toBe(1)
    expect(node.requests.paths()).toEqual(['/wallet/getaccount', '/walletsolidity/getaccount'])
  })

  test('behavior: serves the node’s own JSON-RPC', async () => {
    const response = await fetch(node.rpcUrl, {
      method: 'POST',
      body: JSON.stringify([
        { jsonrpc: '2.0', id: 'a', method: 'eth_chainId', params: [] },
        { jsonrpc: '2.0', id: 7, method: 'eth_blockNumber' },
      ]),
    })
    expect(await response.json()).toEqual([
      { jsonrpc: '2.0', id: 'a', result: '0xb24e27cc' },
      { jsonrpc: '2.0', id: 7, result: '0xdf' },
    ])
    expect(recordedRpc('eth_chainId', []).result).toBe('0xb24e27cc')
  })

  test('error: a request that was not recorded fails and names itself', async () => {
    const response = await fetch(`${node.url}/wallet/getreward`, {
      method: 'POST',
      body: '{"a":1}',
    })
    expect(response.status).toBe(500)
    expect(await response.text()).toBe('Error: not recorded: POST /wallet/getreward {"a":1}')
  })
})
