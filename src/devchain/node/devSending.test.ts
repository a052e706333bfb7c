import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import {
  getAddress,
  type Hex,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { type DevGateway, startDevGateway } from '../../../test/support/devGateway.ts'
import type { InProcessClient } from '../../gateway/parts/inProcessClient.ts'
import type { createDevChain, DevChain } from '../index.ts'
import { createTerminal } from './terminal/terminal.ts'

/** Runtime code that computes until little energy is left, for many ticks of the event loop. */
const SLOW = '0x5b5a6200c3501060005700'
const CONTRACT = `0x${'5c'.repeat(20)}`
const GAS = 4_000_000n

let dev: DevGateway
afterEach(() => dev.close())

async function start(...options: Parameters<typeof startDevGateway>): Promise<void> {
  dev = await startDevGateway(...options)
  await dev.rpc('anvil_setCode', CONTRACT, SLOW)
}

/** A call over HTTP. */
async function http(method: string, ...params: unknown[]): Promise<unknown> {
  return ((await post({ jsonrpc: '2.0', id: 1, method, params })) as Outcome).result
}

async function post(body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(dev.url, { method: 'POST', headers, body: JSON.stringify(body) })
  return response.json()
}

type Outcome = { result?: unknown; error?: { code: number } }

/** A signed transaction whose execution takes many ticks. */
async function signed(nonce = 0): Promise<Hex> {
  const { key } = dev.chain.accounts[0] as DevChain['accounts'][0]
  const gasPrice = BigInt((await dev.rpc('eth_gasPrice')) as Hex)
  const { chainId } = dev.chain
  const transaction = { chainId, gas: GAS, gasPrice, nonce, to: CONTRACT as Hex }
  return privateKeyToAccount(`0x${key}`).signTransaction(transaction)
}

const height = () => dev.chain.ledger.head().header.number

/** Sends a transaction over HTTP. Resolves before its block is made. */
async function sent(nonce = 0): Promise<Hex> {
  const raw = await signed(nonce)
  const before = height()
  const hash = (await http('eth_sendRawTransaction', raw)) as Hex
  expect(hash).toMatch(/^0x[\da-f]{64}$/)
  expect(height()).toBe(before)
  return hash
}

describe('eth_sendRawTransaction', () => {
  test('behavior: answers before the block is made, and every later call sees the block', async () => {
    await start()
    const from = `0x${dev.chain.accounts[0]?.address.slice(2)}`
    const block = { blockNumber: '0x2' }
    const later: [expected: unknown, method: string, ...params: unknown[]][] = [
      [expect.objectContaining(block), 'eth_getTransactionReceipt', 'HASH'],
      [expect.objectContaining(block), 'eth_getTransactionByHash', 'HASH'],
      ['0x2', 'eth_blockNumber'],
      ['0x1', 'eth_getTransactionCount', from, 'latest'],
      [{ pending: '0x0', queued: '0x0' }, 'txpool_status'],
      [expect.objectContaining({ blockNumber: '0x3' }), 'eth_sendRawTransactionSync', 'NEXT'],
      [[], 'eth_getLogs', { fromBlock: '0x2', toBlock: '0x2' }],
      [expect.objectContaining({ number: '0x2' }), 'eth_getBlockByNumber', 'latest', false],
      [expect.objectContaining({ currentBlockNumber: '0x2' }), 'anvil_nodeInfo'],
      ['0x0', 'evm_mine'],
    ]
    for (const [index, [expected, method, ...params]] of later.entries()) {
      const id = await dev.rpc('evm_snapshot')
      const next = await signed(1)
      const hash = await sent()
      const given = params.map((param) => ({ HASH: hash, NEXT: next })[param as string] ?? param)
      const result = await http(method, ...given)
      expect([index, method, result]).toEqual([index, method, expected])
      await dev.rpc('evm_revert', id)
    }
  })

  test('behavior: a batch, a WebSocket and the native interface see the block too', async () => {
    await start()
    const first = await sent(0)
    const calls = ['eth_blockNumber', 'eth_mining'].map((method, id) => ({ id, method }))
    expect(await post(calls.map((call) => ({ jsonrpc: '2.0', params: [], ...call })))).toEqual([
      { jsonrpc: '2.0', id: 0, result: '0x2' },
      { jsonrpc: '2.0', id: 1, result: true },
    ])
    const info = await dev.native('/wallet/gettransactioninfobyid', { value: first.slice(2) })
    expect(info).toMatchObject({ blockNumber: 2 })
    const second = await sent(1)
    expect(
      await dev.native('/wallet/gettransactioninfobyid', { value: second.slice(2) }),
    ).toMatchObject({ blockNumber: 3 })
    await sent(2)
    const events = await fetch(`${dev.url}/v1/blocks/latest/events`)
    expect(await events.json()).toMatchObject({ success: true })
    expect(height()).toBe(4)
  })

  test('behavior: a WebSocket delivers the answer, then the block', async () => {
    await start()
    const messages: { id?: number; method?: string; result?: unknown }[] = []
    const socket = new WebSocket(dev.url.replace('http', 'ws'))
    await new Promise((resolve) => socket.once('open', resolve))
    socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())))
    const call = async (id: number, method: string, ...params: unknown[]) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      await expect.poll(() => messages.some((message) => message.id === id)).toBe(true)
    }
    await call(1, 'eth_subscribe', 'newHeads')
    const raw = await signed()
    await call(2, 'eth_sendRawTransaction', raw)
    expect(height()).toBe(1)
    await call(3, 'eth_blockNumber')
    expect(messages.map(({ id, method }) => id ?? method)).toEqual([1, 2, 'eth_subscription', 3])
    expect(messages.at(-1)?.result).toBe('0x2')
    socket.close()
  })

  test('behavior: reverted transactions do not come back', async () => {
    await start()
    const id = await dev.rpc('evm_snapshot')
    const hash = await sent()
    expect(await http('evm_revert', id)).toBe(true)
    expect(height()).toBe(1)
    expect(await http('eth_getTransactionByHash', hash)).toBeNull()
    expect(await http('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    await sent()
    expect(await http('hardhat_reset')).toBe(true)
    expect(height()).toBe(1)
  })

  test('behavior: transactions in sequence get a block each', async () => {
    await start()
    for (let nonce = 0; nonce < 3; nonce++)
      await http('eth_sendRawTransaction', await signed(nonce))
    expect(await http('eth_blockNumber')).toBe('0x4')
    expect(dev.chain.ledger.block(4)?.transactions).toHaveLength(1)
  })

  test('behavior: without automine, and after a nonce gap, it waits in the pool', async () => {
    await start()
    await http('evm_setAutomine', false)
    await sent(0)
    expect(await http('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
    await http('evm_setAutomine', true)
    await sent(2)
    expect(await http('txpool_status')).toEqual({ pending: '0x1', queued: '0x1' })
    await sent(1)
    expect(await http('eth_blockNumber')).toBe('0x2')
    expect(dev.chain.ledger.block(2)?.transactions).toHaveLength(3)
  })

  test('behavior: with a state file it answers when the file has the block; error: when it cannot be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ethgate-sending-'))
    await start({ state: join(folder, 'chain.jsonl') })
    await http('eth_sendRawTransaction', await signed(0))
    expect(height()).toBe(2)
    const raw = await signed(1)
    rmSync(folder, { recursive: true })
    const request = { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] }
    expect(await post(request)).toMatchObject({ error: { code: -32603 } })
  })

  test('behavior: the terminal shows the block with the call, before the next call', async () => {
    let text = ''
    let close = () => {}
    await start({ rules: { decimals: 18 } }, {}, (chain) => {
      const write = (more: string) => void (text += more)
      const terminal = createTerminal({ chain, color: false, decimals: 18, verbose: false, write })
      close = () => terminal.close()
      return terminal
    })
    const hash = await sent()
    await http('eth_blockNumber')
    close()
    const shown = text.slice(text.indexOf('eth_sendRawTransaction'))
    expect(shown.replaceAll(/ +/g, ' ').split('\n')).toMatchObject([
      'eth_sendRawTransaction',
      ` Transaction: ${hash}`,
      expect.stringContaining('From:'),
      ` To: ${CONTRACT}`,
      expect.stringContaining('Value:'),
      expect.stringContaining('Energy used:'),
      expect.stringContaining('Block #1:'),
      expect.stringContaining('Block time:'),
      '',
      'eth_blockNumber',
      '',
    ])
  })
})

describe('the Sync methods', () => {
  test('behavior: the receipt of a block that another call makes', async () => {
    await start({ rules: { decimals: 18 } })
    await http('evm_setAutomine', false)
    for (const [method, nonce] of [
      ['eth_sendRawTransactionSync', 0],
      ['eth_sendTransactionSync', 1],
    ] as const) {
      const param =
        method === 'eth_sendTransactionSync'
          ? { to: CONTRACT, gas: '0x30000' }
          : await signed(nonce)
      const receipt = http(method, param)
      await expect.poll(() => http('txpool_status')).toMatchObject({ pending: '0x1' })
      await http('evm_mine')
      expect([method, await receipt]).toMatchObject([
        method,
        { blockNumber: `0x${height().toString(16)}` },
      ])
    }
  })

  test('behavior: a client that leaves ends the wait', async () => {
    await start({ mining: { automine: false }, rules: { decimals: 18 } })
    const client = new AbortController()
    const params = [await signed(), '0x7fffffff']
    const { gateway }: { gateway: Pick<InProcessClient, 'request'> } = dev
    const asked = gateway.request({ method: 'eth_sendRawTransactionSync', params }, client)
    await expect.poll(() => http('txpool_status')).toMatchObject({ pending: '0x1' })
    client.abort(new Error('gone'))
    await expect(asked).rejects.toMatchObject({ code: 4 })
  })

  test('behavior: the receipt of the next block in an interval', async () => {
    await start({ mining: { automine: false, blockTime: 50 } })
    expect(await http('eth_sendRawTransactionSync', await signed())).toMatchObject({ type: '0x0' })
  })
})

test('eth_sendTransaction: without from, the first account sends, as on anvil', async () => {
  await start({ rules: { decimals: 18 } })
  const first = `0x${dev.chain.accounts[0]?.address.slice(2)}`
  const hash = await http('eth_sendTransaction', { to: CONTRACT, gas: '0x30000' })
  expect(await http('eth_getTransactionByHash', hash)).toMatchObject({ from: first })
  const request = { to: CONTRACT, gas: '0x30000' }
  expect(await http('eth_fillTransaction', request)).toMatchObject({ tx: { nonce: '0x1' } })
  const raw = (await http('eth_signTransaction', request)) as TransactionSerialized
  expect(parseTransaction(raw)).toMatchObject({ nonce: 1 })
  expect(await recoverTransactionAddress({ serializedTransaction: raw })).toBe(getAddress(first))
})

test('eth_signTransaction: refuses an impersonated account, because the chain has no key of it', async () => {
  await start({ rules: { decimals: 18 } })
  const from = '0x1000000000000000000000000000000000000001'
  await dev.rpc('hardhat_impersonateAccount', from)
  const request = { from, gas: '0x5208', to: CONTRACT }
  await expect(dev.rpc('eth_signTransaction', request)).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining('does not have its key'),
  })
})

test('args: a type that does not exist is no reason to refuse a request, as on anvil and Hardhat', async () => {
  await start({ rules: { decimals: 18 } })
  const request = { gas: '0x30000', to: CONTRACT, type: '0xf' }
  expect(await http('eth_call', request, 'latest')).toBe('0x')
  const hash = await http('eth_sendTransaction', request)
  expect(await http('eth_getTransactionByHash', hash)).toMatchObject({ type: '0x2' })
})

describe('eth_sendTransaction', () => {
  test('behavior: transactions of one sender at once have one nonce each, however long they run', async () => {
    await start()
    const [from, other] = (await dev.rpc('eth_accounts')) as Hex[]
    const send = (sender: Hex | undefined, method: string) =>
      dev.rpc(method, { data: '0x01', from: sender, gas: `0x${GAS.toString(16)}`, to: CONTRACT })
    const hashes = await Promise.all([
      ...Array.from({ length: 8 }, () => send(from, 'eth_sendTransaction')),
      ...Array.from({ length: 2 }, () => send(other, 'eth_sendTransaction')),
      ...Array.from({ length: 2 }, () => send(from, 'eth_sendUnsignedTransaction')),
    ])
    expect(new Set(hashes).size).toBe(12)
    const count = (account: Hex | undefined) =>
      dev.rpc('eth_getTransactionCount', account, 'latest')
    expect([await count(from), await count(other)]).toEqual(['0xa', '0x2'])
  })

  test('behavior: one that is refused does not hold up the next one', async () => {
    await start()
    const [from] = (await dev.rpc('eth_accounts')) as Hex[]
    const [refused, sent] = await Promise.allSettled([
      dev.rpc('eth_sendTransaction', { data: '0x', from }),
      dev.rpc('eth_sendTransaction', { from, to: CONTRACT, gas: '0x30d40' }),
    ])
    expect(refused.status).toBe('rejected')
    expect(sent).toMatchObject({ status: 'fulfilled' })
  })
})

describe('eth_sendTransaction without gas', () => {
  const POOR = `0x${'5d'.repeat(20)}`
  const reverting = { to: CONTRACT }

  async function startReverting(...options: Parameters<typeof start>): Promise<void> {
    await start(...options)
    await dev.rpc('anvil_setCode', CONTRACT, '0x60006000fd')
  }

  const receiptOf = async (hash: unknown) =>
    (await dev.rpc('eth_getTransactionReceipt', hash)) as Record<string, Hex>

  for (const options of [
    { rules: { decimals: 18 } },
    { rules: { decimals: 18, ethereum: { energy: 'native' } } },
    { rules: { decimals: 6 } },
    { rules: { profile: 'native' } },
  ] satisfies createDevChain.Options[])
    test(`behavior: one that fails is in a block, as on anvil and Hardhat: ${JSON.stringify(options)}`, async () => {
      await startReverting(options)
      const before = height()
      const error = await dev
        .rpc('eth_sendTransaction', reverting)
        .catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 3, data: { data: '0x' } })
      expect(height()).toBe(before + 1)
      const { data } = error as { data: { txHash: Hex } }
      expect(await receiptOf(data.txHash)).toMatchObject({ status: '0x0' })
    })

  test('behavior: without automine, the block has those that fail and those that do not', async () => {
    await startReverting({ rules: { decimals: 18 }, mining: { automine: false } })
    const hashes = []
    for (const to of [CONTRACT, POOR, CONTRACT])
      hashes.push(await dev.rpc('eth_sendTransaction', { to }))
    await dev.rpc('evm_mine')
    const receipts = await Promise.all(hashes.map(receiptOf))
    expect(receipts.map(({ status }) => status)).toEqual(['0x0', '0x1', '0x0'])
    expect(new Set(receipts.map(({ blockHash }) => blockHash)).size).toBe(1)
  })

  test('behavior: its gas limit is the highest that the sender can pay; error: too few coins for the run that failed', async () => {
    await startReverting({ rules: { decimals: 18 } })
    await dev.rpc('anvil_impersonateAccount', POOR)
    const send = (value = '0x0') =>
      dev
        .rpc('eth_sendTransaction', { ...reverting, from: POOR, gasPrice: '0x3b9aca00', value })
        .catch((reason: unknown) => reason)
    await dev.rpc('anvil_setBalance', POOR, '0x2386f26fc10000')
    const { data } = (await send()) as { data: { txHash: Hex } }
    expect(await dev.rpc('eth_getTransactionByHash', data.txHash)).toMatchObject({
      gas: '0x989680',
    })
    const refused = { code: -32000, message: expect.stringContaining('insufficient funds') }
    expect(await send('0x8ac7230489e80000')).toMatchObject(refused)
    await dev.rpc('anvil_setBalance', POOR, '0x1')
    expect(await send()).toMatchObject(refused)
  })

  test('error: eth_fillTransaction and eth_estimateGas refuse it, as on anvil', async () => {
    await startReverting({ rules: { decimals: 18 } })
    for (const method of ['eth_fillTransaction', 'eth_estimateGas'])
      await expect(dev.rpc(method, reverting)).rejects.toMatchObject({ code: 3, data: '0x' })
  })
})

describe('eth_sendRawTransaction of a transaction that fails', () => {
  /** The answer to a client, by its name. */
  async function answer(name: string): Promise<unknown> {
    const nonce = Number(await dev.rpc('eth_getTransactionCount', dev.accountOf(0), 'latest'))
    const headers = { 'content-type': 'application/json', 'user-agent': name }
    const params = [await signed(nonce)]
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params }
    const response = await fetch(dev.url, { method: 'POST', headers, body: JSON.stringify(call) })
    return response.json()
  }
  const hash = expect.objectContaining({ result: expect.stringMatching(/^0x[\da-f]{64}$/) })
  const error = expect.objectContaining({
    error: {
      code: 3,
      message: 'Transaction reverted without a reason string',
      data: { message: expect.any(String), txHash: expect.stringMatching(/^0x/), data: '0x' },
    },
  })

  test.each([
    ['auto', 'node', hash],
    ['auto', 'hardhat 2.28.0', error],
    ['error', 'node', error],
    ['hash', 'hardhat 2.28.0', hash],
  ] as const)('args: rawReverts %s and the client %s', async (rawReverts, name, expected) => {
    dev = await startDevGateway({ rules: { ethereum: { rawReverts } } })
    // Reverts without data.
    await dev.rpc('anvil_setCode', CONTRACT, '0x5f5ffd')
    expect(await answer(name)).toEqual(expected)
    expect(await dev.rpc('eth_blockNumber')).toBe('0x2')
  })
})
