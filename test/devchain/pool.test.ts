import { JsonRpcProvider } from 'ethers'
import { createTestClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { openSocket } from '../support/client.ts'
import { type DevGateway, onChain, startDevGateway } from '../support/devGateway.ts'
import { until } from '../support/until.ts'

let dev: DevGateway
let from: `0x${string}`
let to: `0x${string}`

beforeAll(async () => {
  dev = await startDevGateway({ mining: { automine: false } })
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
  expect(lines.queued[from]).toEqual({ 3: `${to}: 5 wei + 21000 gas × 200 wei` })
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

test('behavior: as on anvil, a filter has a pending transaction as soon as it is sent', async () => {
  const filter = await dev.rpc('eth_newPendingTransactionFilter')
  const send = (nonce: string) =>
    dev.rpc('eth_sendTransaction', { from: to, to: from, nonce, value: '0x5', gas: '0x5208' })
  const sent = [await send('0x0'), await send('0x1')]
  expect(await dev.rpc('eth_getFilterChanges', filter)).toEqual(sent)
  const third = await send('0x2')
  expect(await dev.rpc('eth_getFilterChanges', filter)).toEqual([third])
  for (const hash of [...sent, third]) await dev.rpc('anvil_dropTransaction', hash)
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

test('behavior: the pending block is the next one, with the ready transactions of the pool', async () => {
  const latest = (await dev.rpc('eth_getBlockByNumber', 'latest', false)) as { hash: string }
  const number = Number(await dev.rpc('eth_blockNumber')) + 1
  const pending = (await dev.rpc('eth_getBlockByNumber', 'pending', false)) as {
    transactions: string[]
  }
  expect(pending).toMatchObject({
    number: `0x${number.toString(16)}`,
    parentHash: latest.hash,
    gasUsed: '0x0',
  })
  expect(pending.transactions).toHaveLength(2)
  expect(await dev.rpc('eth_getBlockByNumber', 'pending', true)).toMatchObject({
    transactions: [
      { from, hash: pending.transactions[0], nonce: '0x0', value: '0x5' },
      { from, hash: pending.transactions[1], nonce: '0x1', transactionIndex: '0x1' },
    ],
  })
  expect(await dev.rpc('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x2')
  const at = (index: string) => dev.rpc('eth_getTransactionByBlockNumberAndIndex', 'pending', index)
  expect(await at('0x1')).toMatchObject({ hash: pending.transactions[1] })
  expect(await at('0x2')).toBeNull()
  expect(await dev.rpc('eth_getBlockReceipts', 'pending')).toMatchObject([
    { from, transactionHash: pending.transactions[0], gasUsed: '0x0', status: '0x1' },
    { from, transactionHash: pending.transactions[1], transactionIndex: '0x1' },
  ])
  for (const method of ['eth_getHeaderByNumber', 'erigon_getHeaderByNumber']) {
    const header = (await dev.rpc(method, 'pending')) as object
    expect(header).toMatchObject({ number: `0x${number.toString(16)}`, parentHash: latest.hash })
    expect(header).not.toHaveProperty('transactions')
  }
  expect(await dev.rpc('ots_getBlockDetails', 'pending')).toMatchObject({
    block: { number: `0x${number.toString(16)}`, transactionCount: 2 },
  })
  expect(await dev.rpc('ots_getBlockTransactions', 'pending', 0, 10)).toMatchObject({
    fullblock: { transactions: [{ from }, { from }] },
    receipts: [{ from }, { from }],
  })
  for (const [method, ...params] of [
    ['debug_traceBlockByNumber', 'pending', {}],
    ['trace_block', 'pending'],
    ['trace_replayBlockTransactions', 'pending', ['trace']],
    ['eth_getRawTransactionByBlockNumberAndIndex', 'pending', '0x0'],
  ] as [string, ...unknown[]][])
    await expect(dev.rpc(method, ...params)).rejects.toMatchObject({
      code: -32000,
      message: 'the pending block is not made yet: ask for latest or a number',
    })
  expect(Number(await dev.rpc('eth_blockNumber')) + 1).toBe(number)
  await dev.rpc('evm_mine')
  expect(await dev.rpc('eth_getBlockByNumber', 'latest', false)).toMatchObject({
    number: `0x${number.toString(16)}`,
    transactions: pending.transactions,
  })
  expect(await dev.rpc('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x0')
})

test('args: a subscription to whole pending transactions, in the unit of its path', async () => {
  const chain = await startDevGateway({ mining: { automine: false } })
  const sockets = await Promise.all(
    ['', '/wei'].map((path) => openSocket(`${chain.url.replace('http', 'ws')}${path}`)),
  )
  const ids = await Promise.all(
    sockets.map((socket) => socket.rpc<string>('eth_subscribe', 'newPendingTransactions', true)),
  )
  const hashesOnly = await sockets[0]?.rpc<string>('eth_subscribe', 'newPendingTransactions')
  const send = (nonce: string) =>
    chain.rpc('eth_sendTransaction', { from, to, nonce, value: '0x5', gas: '0x5208' })
  const sent = [await send('0x0'), await send('0x1')]
  const shown = (value: string) =>
    sent.map((hash, nonce) => ({
      blockHash: null,
      from,
      hash,
      nonce: `0x${nonce}`,
      to,
      value,
    }))
  await until(() => {
    expect(sockets[0]?.of(ids[0] ?? '')).toMatchObject(shown('0x5'))
    expect(sockets[1]?.of(ids[1] ?? '')).toMatchObject(shown('0x48c27395000'))
    expect(sockets[0]?.of(hashesOnly ?? '')).toEqual(sent)
  })
  await chain.close()
})

test('behavior: a transaction behind a nonce gap is pending when the gap is filled', async () => {
  const chain = await startDevGateway({ mining: { automine: false }, rules: { decimals: 18 } })
  const send = (nonce: string) =>
    chain.rpc('eth_sendTransaction', { from, gas: '0x5208', nonce, to, value: '0x5' })
  const filter = await chain.rpc('eth_newPendingTransactionFilter')
  const second = await send('0x1')
  expect(await chain.rpc('eth_getFilterChanges', filter)).toEqual([])
  expect(await chain.rpc('eth_pendingTransactions')).toEqual([])
  const first = await send('0x0')
  expect(await chain.rpc('eth_getFilterChanges', filter)).toEqual([first, second])
  expect(await chain.rpc('eth_pendingTransactions')).toMatchObject([
    { hash: first },
    { hash: second },
  ])
  await chain.close()
})

test('behavior: with tips, the transactions that pay more are first, as on anvil and Hardhat', () =>
  onChain('cancun', async (node) => {
    await node.rpc('evm_setAutomine', false)
    const send = (sender: number, fees: object) =>
      node.rpc('eth_sendTransaction', {
        from: node.accountOf(sender),
        to: node.accountOf(9),
        gas: '0x5208',
        ...fees,
      })
    const tip = (wei: number) => ({
      maxFeePerGas: `0x${(5e9).toString(16)}`,
      maxPriorityFeePerGas: `0x${wei.toString(16)}`,
    })
    const low = await send(0, tip(1e9))
    const behindLow = await send(0, tip(4e9))
    const high = await send(1, tip(3e9))
    const legacy = await send(2, { gasPrice: `0x${(3e9).toString(16)}` })
    const expected = [high, legacy, low, behindLow]
    expect(await transactionsOf('pending')).toEqual(expected)
    await node.rpc('evm_mine')
    expect(await transactionsOf('latest')).toEqual(expected)

    async function transactionsOf(tag: string) {
      const block = (await node.rpc('eth_getBlockByNumber', tag, false)) as {
        transactions: string[]
      }
      return block.transactions
    }
  }))

test('error: bytes that are not a signed transaction', async () => {
  await expect(dev.rpc('eth_sendRawTransaction', '0x1234')).rejects.toMatchObject({
    code: -32602,
    message: expect.stringMatching(/an Ethereum transaction$/),
  })
})

test('behavior: a transaction that waits for a nonce before it stays readable, however much time passes', async () => {
  const chain = await startDevGateway({ rules: { decimals: 18 } })
  const request = { from, gas: '0x5208', nonce: '0x3', to, value: '0x5' }
  const hash = await chain.rpc('eth_sendTransaction', request)
  await chain.rpc('evm_increaseTime', 90_000)
  await chain.rpc('evm_mine')
  // As in geth, a transaction behind a gap is not pending yet.
  expect(await chain.rpc('eth_pendingTransactions')).toEqual([])
  expect(await chain.rpc('eth_getTransactionByHash', hash)).toMatchObject({ blockHash: null })
  expect(await chain.rpc('txpool_content')).toMatchObject({ queued: { [from]: { 3: { hash } } } })
  await chain.close()
})
