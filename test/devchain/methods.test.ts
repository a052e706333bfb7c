import { type Address, type Hash, type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'

import { signTransaction } from '../../src/native/protobuf/signature.ts'
import type { Transaction } from '../../src/native/wire/types.ts'
import { startFileDevGateway } from '../support/devGateway.ts'

const dev = await startFileDevGateway()

const WHO: Address = `0x${'ab'.repeat(20)}`
const send = (transaction: object) =>
  dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), ...transaction }) as Promise<Hex>

describe('answers', () => {
  test('behavior: those of Hardhat and anvil to the letter', async () => {
    // Method, params, answer of anvil 1.7.1 or Hardhat 2.29.1, by the prefix. Where the two differ, evm_ answers as anvil,
    // but keeps the `true` of Hardhat.
    const calls: [string, unknown[], unknown][] = [
      ['evm_increaseTime', [10], expect.any(Number)],
      ['evm_mine', [], '0x0'],
      ['hardhat_mine', ['0x1'], true],
      ['anvil_mine', [1], null],
      ['anvil_setTime', [4_000_000_000], expect.any(Number)],
      ['evm_setNextBlockTimestamp', [4_000_001_000], null],
      ['anvil_setBlockTimestampInterval', [5], null],
      ['anvil_removeBlockTimestampInterval', [], true],
      ['evm_setAutomine', [true], true],
      ['anvil_setAutomine', [true], null],
      ['evm_setIntervalMining', [0], true],
      ['anvil_setIntervalMining', [0], null],
      ['hardhat_setBalance', [WHO, '0x10'], true],
      ['anvil_setBalance', [WHO, '0x10'], null],
      ['anvil_addBalance', [WHO, '0x10'], null],
      ['tenderly_setBalance', [WHO, '0x10'], null],
      ['hardhat_setCode', [WHO, '0x6001'], true],
      ['anvil_setCode', [WHO, '0x'], null],
      ['hardhat_setNonce', [WHO, '0x1'], true],
      ['anvil_setNonce', [WHO, '0x1'], null],
      ['evm_setAccountNonce', [WHO, '0x1'], null],
      ['hardhat_setStorageAt', [WHO, '0x0', `0x${'1'.padStart(64, '0')}`], true],
      ['anvil_setStorageAt', [WHO, 0, `0x${'1'.padStart(64, '0')}`], true],
      ['hardhat_impersonateAccount', [WHO], true],
      ['anvil_impersonateAccount', [WHO], null],
      ['hardhat_stopImpersonatingAccount', [WHO], true],
      ['hardhat_stopImpersonatingAccount', [WHO], false],
      ['anvil_stopImpersonatingAccount', [WHO], null],
      ['anvil_autoImpersonateAccount', [false], null],
      ['hardhat_setCoinbase', [WHO], true],
      ['anvil_setCoinbase', [WHO], null],
      ['hardhat_setNextBlockBaseFeePerGas', ['0x1'], true],
      ['anvil_setNextBlockBaseFeePerGas', ['0x1'], null],
      ['hardhat_setPrevRandao', [`0x${'1'.padStart(64, '0')}`], true],
      ['evm_setBlockGasLimit', ['0x1c9c380'], true],
      ['hardhat_setLoggingEnabled', [true], true],
      ['anvil_setLoggingEnabled', [true], null],
      ['anvil_dropAllTransactions', [], null],
      ['hardhat_dropAllTransactions', [], null],
      ['net_listening', [], true],
      ['anvil_reset', [], null],
      ['hardhat_reset', [], true],
    ]
    for (const [method, params, answer] of calls)
      expect([method, await dev.rpc(method, ...params)]).toEqual([method, answer])
  })

  test('error: refused methods name the method to use instead', async () => {
    await expect(dev.rpc('anvil_setRpcUrl', 'http://127.0.0.1')).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining('--fork'),
    })
    await expect(dev.rpc('debug_traceCallMany')).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining('debug_traceCall'),
    })
  })
})

describe('look-ups', () => {
  test('default: accounts and the network under the names of wallets', async () => {
    expect(await dev.rpc('eth_requestAccounts')).toEqual(await dev.rpc('eth_accounts'))
    expect(await dev.rpc('eth_networkId')).toBe(String(dev.chain.chainId))
    expect(await dev.rpc('anvil_getGenesisTime')).toBe(0)
  })

  test('default: a header, which Otterscan asks for first', async () => {
    const block = (await dev.rpc('eth_getBlockByNumber', '0x1', false)) as Record<string, unknown>
    const { size: _size, transactions: _list, uncles: _uncles, ...header } = block
    expect(await dev.rpc('erigon_getHeaderByNumber', 1)).toEqual(header)
    expect(await dev.rpc('erigon_getHeaderByNumber', 1_000)).toBeNull()
  })

  test('default: everything of an account at once', async () => {
    await dev.rpc('anvil_setCode', WHO, '0x6001')
    await dev.rpc('anvil_setBalance', WHO, '0x7')
    await dev.rpc('hardhat_setStorageAt', WHO, '0x2', '0x9')
    expect(await dev.rpc('eth_getAccountInfo', WHO)).toEqual({
      balance: '0x7',
      nonce: '0x0',
      code: '0x6001',
    })
    expect(await dev.rpc('eth_getStorageValues', { [WHO]: ['0x0', '0x2'] }, 'latest')).toEqual({
      [WHO]: [`0x${'0'.repeat(64)}`, `0x${'9'.padStart(64, '0')}`],
    })
  })

  test('default: transactions by sender and nonce, waiting ones included', async () => {
    const mined = await send({ to: WHO, value: '0x1' })
    await dev.rpc('evm_setAutomine', false)
    const waiting = await send({ to: WHO, value: '0x2' })
    const bySender = (nonce: Hex) =>
      dev.rpc('eth_getTransactionBySenderAndNonce', dev.accountOf(0), nonce)
    expect(await bySender('0x0')).toMatchObject({ hash: mined, blockNumber: '0x2' })
    expect(await bySender('0x1')).toMatchObject({ hash: waiting, blockNumber: null })
    expect(await bySender('0x2')).toBeNull()
    expect(await dev.rpc('eth_pendingTransactions')).toMatchObject([{ hash: waiting }])
    await dev.rpc('evm_setAutomine', true)
  })

  test('default: a receipt as the answer to a transaction', async () => {
    const transaction = { from: dev.accountOf(0), to: WHO, value: '0x1' }
    expect(await dev.rpc('eth_sendTransactionSync', transaction)).toMatchObject({
      status: '0x1',
      blockNumber: '0x2',
    })
  })
})

describe('the bytes of transactions', () => {
  test('default: what was signed, of every type, mined or waiting', async () => {
    const request = { from: dev.accountOf(0), to: WHO, value: '0x1', gas: '0x5208' }
    const kinds = [
      { ...request, nonce: '0x0', gasPrice: '0x64' },
      // More than the price: the block shows the price that was paid.
      { ...request, nonce: '0x1', gasPrice: '0x65' },
      { ...request, nonce: '0x2', maxFeePerGas: '0x64', maxPriorityFeePerGas: '0x0' },
    ]
    for (const kind of kinds) {
      const raw = (await dev.rpc('eth_signTransaction', kind)) as Hex
      const hash = await dev.rpc('eth_sendRawTransaction', raw)
      const { blockHash } = (await dev.rpc('eth_getTransactionByHash', hash)) as { blockHash: Hex }
      expect(await dev.rpc('eth_getRawTransactionByHash', hash)).toBe(raw)
      expect(await dev.rpc('debug_getRawTransaction', hash)).toBe(raw)
      expect(await dev.rpc('eth_getRawTransactionByBlockNumberAndIndex', 'latest', '0x0')).toBe(raw)
      expect(await dev.rpc('eth_getRawTransactionByBlockHashAndIndex', blockHash, '0x0')).toBe(raw)
    }
    expect(await dev.rpc('eth_getRawTransactionByHash', `0x${'1'.repeat(64)}`)).toBeNull()
  })

  async function post(path: string, method: string, ...params: unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(`${dev.url}${path}`, { method: 'POST', body })
    return ((await response.json()) as { result: unknown }).result
  }

  test('behavior: the solidified view has no waiting transaction', async () => {
    await dev.rpc('evm_setAutomine', false)
    const request = { from: dev.accountOf(0), to: WHO, value: '0x1', gas: '0x5208' }
    const hash = (await dev.rpc('eth_sendTransaction', request)) as Hash
    const raw = (await dev.rpc('eth_getRawTransactionByHash', hash)) as Hex
    expect(keccak256(raw)).toBe(hash)
    expect(await post('/solidity', 'eth_getTransactionByHash', hash)).toBeNull()
    expect(await post('/solidity', 'eth_getRawTransactionByHash', hash)).toBeNull()
    await dev.rpc('evm_setAutomine', true)
  })

  test('behavior: also where it was signed in units of 10^-18', async () => {
    const account = privateKeyToAccount(dev.keyOf(0))
    const raw = await account.signTransaction({
      chainId: dev.chain.chainId,
      gas: 21_000n,
      gasPrice: 100n * 10n ** 12n,
      nonce: 0,
      to: WHO,
      type: 'legacy',
      value: 10n ** 12n,
    })
    const hash = await post('/wei', 'eth_sendRawTransaction', raw)
    expect(await post('/wei', 'eth_getRawTransactionByHash', hash)).toBe(raw)
    expect(await dev.rpc('eth_getBalance', WHO, 'latest')).toBe('0x1')
  })

  test('error: a natively signed transaction has none', async () => {
    const [from, to] = dev.chain.accounts
    const built = await dev.native('/wallet/createtransaction', {
      owner_address: from?.address,
      to_address: to?.address,
      amount: 1,
    })
    const signed = signTransaction(built as unknown as Transaction, from?.key ?? '')
    await dev.native('/wallet/broadcasttransaction', signed)
    await expect(dev.rpc('eth_getRawTransactionByHash', `0x${signed.txID}`)).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('signed natively'),
    })
  })
})

describe('replays', () => {
  test('default: frames and changes of a creation', async () => {
    // Stores 42 in slot 0 and returns ten bytes of code.
    const hash = await send({ data: '0x602a600055600a600c600039600a6000f3602b60005500' })
    const [replay] = (await dev.rpc('trace_replayBlockTransactions', 'latest', [
      'trace',
      'stateDiff',
    ])) as [{ stateDiff: Record<string, unknown>; trace: unknown[] }]
    const { contractAddress } = (await dev.rpc('eth_getTransactionReceipt', hash)) as {
      contractAddress: Address
    }
    expect(replay).toMatchObject({
      output: '0x600a6000f3602b600055',
      transactionHash: hash,
      vmTrace: null,
      trace: [
        { type: 'create', subtraces: 0, traceAddress: [], result: { address: contractAddress } },
      ],
    })
    expect(replay.stateDiff[contractAddress]).toEqual({
      balance: { '+': '0x0' },
      code: { '+': '0x600a6000f3602b600055' },
      nonce: { '+': '0x1' },
      storage: { [`0x${'0'.repeat(64)}`]: { '+': `0x${'2a'.padStart(64, '0')}` } },
    })
    expect(replay.stateDiff[dev.accountOf(0)]).toMatchObject({
      code: '=',
      nonce: { '*': { from: '0x0', to: '0x1' } },
      storage: {},
    })
    const { transactionHash: _, ...same } = replay as { transactionHash?: unknown }
    expect(await dev.rpc('trace_replayTransaction', hash, ['trace', 'stateDiff'])).toMatchObject(
      same,
    )
  })

  test('trace_call: frames and changes of a call, which changes nothing', async () => {
    const before = await dev.rpc('eth_getBalance', WHO)
    const call = { from: dev.accountOf(0), to: WHO, value: '0x5' }
    const traced = (await dev.rpc('trace_call', call, ['trace', 'stateDiff'])) as {
      stateDiff: Record<string, unknown>
    }
    expect(traced).toMatchObject({
      output: '0x',
      trace: [{ type: 'call', action: { to: WHO, value: '0x5' }, traceAddress: [] }],
      vmTrace: null,
    })
    expect(Object.keys(traced.stateDiff)).toContain(WHO)
    expect(await dev.rpc('eth_getBalance', WHO)).toBe(before)
    expect(await dev.rpc('trace_call', call, [], '0x1')).toMatchObject({
      trace: [],
      stateDiff: null,
    })
    await expect(dev.rpc('trace_call', call, ['trace'], '0x999')).rejects.toMatchObject({
      code: -32000,
    })
    // NUMBER, which the call returns.
    const state = { [WHO]: { code: '0x4360005260206000f3' } }
    const changes = [state, { number: '0x63' }]
    expect(await dev.rpc('trace_call', { to: WHO }, ['trace'], 'latest', ...changes)).toMatchObject(
      {
        output: `0x${'63'.padStart(64, '0')}`,
      },
    )
    await expect(
      dev.rpc('trace_call', call, ['trace'], 'latest', {}, { blockHash: '0x1' }),
    ).rejects.toMatchObject({ code: -32602 })
  })

  test('trace_callMany: each call runs on the state after the previous one', async () => {
    const before = await dev.rpc('eth_getBalance', WHO)
    const all = 10n ** 6n
    const gift = { from: dev.accountOf(0), to: WHO, value: `0x${all.toString(16)}` }
    const back = { from: WHO, to: dev.accountOf(0), value: gift.value }
    const traced = await dev.rpc('trace_callMany', [
      [gift, ['trace']],
      [back, ['trace', 'stateDiff']],
    ])
    expect(traced).toMatchObject([
      { stateDiff: null, trace: [{ action: { to: WHO, value: gift.value } }] },
      { stateDiff: { [WHO]: { balance: { '*': { to: before } } } }, trace: [{}] },
    ])
    expect(await dev.rpc('eth_getBalance', WHO)).toBe(before)
    await expect(dev.rpc('trace_callMany', [[back]])).rejects.toMatchObject({ code: -32602 })
  })

  test('trace_rawTransaction: replays signed bytes without sending them', async () => {
    const before = await dev.rpc('eth_getBalance', WHO)
    const raw = await dev.rpc('eth_signTransaction', {
      from: dev.accountOf(0),
      to: WHO,
      value: '0x5',
    })
    expect(await dev.rpc('trace_rawTransaction', raw, ['trace', 'stateDiff'])).toMatchObject({
      output: '0x',
      stateDiff: { [WHO]: {} },
      trace: [{ action: { from: dev.accountOf(0), to: WHO, value: '0x5' } }],
    })
    expect(await dev.rpc('eth_getBalance', WHO)).toBe(before)
    await expect(dev.rpc('trace_rawTransaction', '0x02c0', ['trace'])).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('cannot be decoded'),
    })
  })

  test('args: no trace type, or one that is not supported', async () => {
    await send({ to: WHO, value: '0x5' })
    expect(await dev.rpc('trace_replayBlockTransactions', 'latest', [])).toMatchObject([
      { output: '0x', stateDiff: null, trace: [], vmTrace: null },
    ])
    expect(await dev.rpc('trace_replayBlockTransactions', '0x999', ['trace'])).toBeNull()
    expect(await dev.rpc('trace_replayBlockTransactions', 'latest', ['vmTrace'])).toMatchObject([
      { stateDiff: null, trace: [], vmTrace: { code: '0x', ops: [] } },
    ])
    await expect(
      dev.rpc('trace_replayBlockTransactions', 'latest', ['steps']),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('vmTrace') })
  })
})
