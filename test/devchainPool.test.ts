import { JsonRpcProvider } from 'ethers'
import { createTestClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from './devGateway.ts'

let dev: DevGateway
let from: `0x${string}`
let to: `0x${string}`

beforeAll(async () => {
  dev = await startDevGateway({ automine: false })
  const [first, second] = dev.chain.accounts.map(({ address }) => `0x${address.slice(2)}` as const)
  ;[from, to] = [first as `0x${string}`, second as `0x${string}`]
  for (const nonce of ['0x0', '0x1', '0x3'])
    await dev.rpc('eth_sendTransaction', { from, to, nonce, value: '0x5', gas: '0x5208' })
})

afterAll(() => dev.close())

test('default: viem reads what the next block takes and what lacks a nonce before it', async () => {
  const viem = createTestClient({ mode: 'anvil', transport: http(dev.url) })
  expect(await viem.getTxpoolStatus()).toEqual({ pending: 2, queued: 1 })
  const { pending, queued } = await viem.getTxpoolContent()
  expect(Object.keys(pending[from] ?? {})).toEqual(['0', '1'])
  expect(queued[from]).toMatchObject({
    3: { blockHash: null, from, nonce: '0x3', to, value: '0x5' },
  })
  const lines = await viem.inspectTxpool()
  expect(lines.queued[from]).toEqual({ 3: `${to}: 5 wei + 21000 gas × 100 wei` })
})

test('default: ethers reads the transactions of one account', async () => {
  const ethers = new JsonRpcProvider(dev.url)
  const own = (await ethers.send('txpool_contentFrom', [from])) as {
    pending: object
    queued: object
  }
  expect([Object.keys(own.pending), Object.keys(own.queued)]).toEqual([['0', '1'], ['3']])
  expect(await ethers.send('txpool_contentFrom', [to])).toEqual({ pending: {}, queued: {} })
  ethers.destroy()
})

test('behavior: at /wei amounts have 18 decimals; the solidified view has no pool', async () => {
  const ask = async (path: string, method: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${dev.url}${path}`, { method: 'POST', headers, body })
    return (await response.json()) as { result?: { queued: object }; error?: { code: number } }
  }
  const value = '0x48c27395000'
  expect((await ask('/wei', 'txpool_content')).result?.queued).toMatchObject({
    [from]: { 3: { value } },
  })
  expect((await ask('/wei', 'txpool_inspect')).result?.queued).toMatchObject({
    [from]: { 3: expect.stringContaining(`${BigInt(value)} wei`) },
  })
  expect((await ask('/solidity', 'txpool_content')).error?.code).toBe(-32601)
})
