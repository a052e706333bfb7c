import { type Address, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { signTransaction } from '../src/native/protobuf/signature.ts'
import type { Transaction } from '../src/native/types.ts'
import { type DevGateway, startDevGateway } from './devGateway.ts'
import { artifacts } from './recordedChain.ts'

let dev: DevGateway

beforeAll(async () => {
  dev = await startDevGateway()
})

beforeEach(() => dev.rpc('hardhat_reset'))

afterAll(() => dev.close())

const WHO: Address = `0x${'ab'.repeat(20)}`
const accountOf = (index: number): Hex => `0x${dev.chain.accounts[index]?.address.slice(2)}`
const number = async () => Number(await dev.rpc('eth_blockNumber'))
const send = (transaction: object) =>
  dev.rpc('eth_sendTransaction', { from: accountOf(0), ...transaction }) as Promise<Hex>

describe('answers', () => {
  test('behavior: those of Hardhat and anvil to the letter', async () => {
    // Method, params, answer of anvil 1.7.1 or Hardhat 2.29.1, whoever the prefix belongs to; evm_ is anvil’s where they differ,
    // but for `true`, which nobody expects to be absent.
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

  test('error: what the dev chain refuses says what to use instead', async () => {
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

describe('the chain id is changed', () => {
  /** Code that returns CHAINID. */
  const creation = '0x4660005260206000f3'

  test('default: for answers, contracts and signatures; traces of older blocks keep theirs', async () => {
    const before = dev.chain.chainId
    const from = accountOf(0)
    // Stores CHAINID in slot 0.
    const old = await send({ data: '0x46600055' })
    expect(await dev.rpc('anvil_setChainId', 4242)).toBeNull()
    try {
      expect(await dev.rpc('eth_chainId')).toBe('0x1092')
      expect(await dev.rpc('net_version')).toBe('4242')
      expect(await dev.rpc('anvil_nodeInfo')).toMatchObject({ environment: { chainId: 4242 } })
      expect(await dev.rpc('eth_call', { data: creation }, 'latest')).toBe(
        `0x${'1092'.padStart(64, '0')}`,
      )
      const hash = await send({ data: '0x46600055' })
      expect(await dev.rpc('eth_getTransactionByHash', hash)).toMatchObject({ chainId: '0x1092' })
      for (const [transaction, id] of [
        [old, before],
        [hash, 4242],
      ] as const) {
        const [{ stateDiff }] = [
          (await dev.rpc('trace_replayTransaction', transaction, ['stateDiff'])) as {
            stateDiff: Record<Address, { storage: Record<Hex, unknown> }>
          },
        ]
        const { contractAddress } = (await dev.rpc('eth_getTransactionReceipt', transaction)) as {
          contractAddress: Address
        }
        expect(stateDiff[contractAddress]?.storage).toEqual({
          [`0x${'0'.repeat(64)}`]: { '+': `0x${id.toString(16).padStart(64, '0')}` },
        })
      }
      const request = { from, to: WHO, value: '0x1', gas: '0x5208', chainId: before }
      await expect(dev.rpc('eth_sendTransaction', request)).rejects.toMatchObject({
        message: `invalid chain id: have ${before} want 4242`,
      })
    } finally {
      await dev.rpc('anvil_setChainId', before)
    }
  })

  test('error: no chain id', async () => {
    for (const id of [0, '0x20000000000000', 'one'])
      await expect(dev.rpc('anvil_setChainId', id)).rejects.toMatchObject({ code: -32602 })
  })
})

describe('signatures are impersonated', () => {
  const hash = 'ab'.repeat(32)
  const parts = '11'.repeat(64)
  const recovered = (v: string) =>
    dev.rpc('eth_call', {
      to: `0x${'1'.padStart(40, '0')}`,
      data: `0x${hash}${v.padStart(64, '0')}${parts}`,
    })

  test('default: ecrecover finds the account, for this v alone', async () => {
    const before = await recovered('1b')
    expect(await dev.rpc('anvil_impersonateSignature', [`0x${parts}1c`, WHO])).toBeNull()
    expect(await recovered('1c')).toBe(`0x${WHO.slice(2).toLowerCase().padStart(64, '0')}`)
    expect(await recovered('1b')).toBe(before)
  })

  test('error: not 65 bytes, or not a list', async () => {
    for (const params of [[[`0x${parts}`, WHO]], [`0x${parts}1c`, WHO], [[`0x${parts}1c`]]])
      await expect(dev.rpc('anvil_impersonateSignature', ...params)).rejects.toMatchObject({
        code: -32602,
      })
  })
})

describe('a block now and then', () => {
  test('args: a range of milliseconds', async () => {
    const height = await number()
    expect(await dev.rpc('evm_setIntervalMining', [5, 10])).toBe(true)
    await expect.poll(number).toBeGreaterThan(height + 1)
    expect(await dev.rpc('anvil_getIntervalMining')).toBe(0.005)
    expect(await dev.rpc('evm_setIntervalMining', 0)).toBe(true)
    for (const params of [[[10, 5]], [[1]], [-1], []])
      await expect(dev.rpc('evm_setIntervalMining', ...params)).rejects.toMatchObject({
        code: -32602,
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
      nonce: '0x1',
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
      dev.rpc('eth_getTransactionBySenderAndNonce', accountOf(0), nonce)
    expect(await bySender('0x0')).toMatchObject({ hash: mined, blockNumber: '0x2' })
    expect(await bySender('0x1')).toMatchObject({ hash: waiting, blockNumber: null })
    expect(await bySender('0x2')).toBeNull()
    expect(await dev.rpc('eth_pendingTransactions')).toMatchObject([{ hash: waiting }])
    await dev.rpc('evm_setAutomine', true)
  })

  test('default: a receipt as the answer to a transaction', async () => {
    const transaction = { from: accountOf(0), to: WHO, value: '0x1' }
    expect(await dev.rpc('eth_sendTransactionSync', transaction)).toMatchObject({
      status: '0x1',
      blockNumber: '0x2',
    })
  })
})

describe('the bytes of transactions', () => {
  test('default: what was signed, of every type, mined or waiting', async () => {
    const request = { from: accountOf(0), to: WHO, value: '0x1', gas: '0x5208' }
    const kinds = [
      { ...request, nonce: '0x0', gasPrice: '0x64' },
      { ...request, nonce: '0x1', maxFeePerGas: '0x64', maxPriorityFeePerGas: '0x0' },
    ]
    for (const kind of kinds) {
      const { raw } = (await dev.rpc('eth_signTransaction', kind)) as { raw: Hex }
      const hash = await dev.rpc('eth_sendRawTransaction', raw)
      const { blockHash } = (await dev.rpc('eth_getTransactionByHash', hash)) as { blockHash: Hex }
      expect(await dev.rpc('eth_getRawTransactionByHash', hash)).toBe(raw)
      expect(await dev.rpc('debug_getRawTransaction', hash)).toBe(raw)
      expect(await dev.rpc('eth_getRawTransactionByBlockNumberAndIndex', 'latest', '0x0')).toBe(raw)
      expect(await dev.rpc('eth_getRawTransactionByBlockHashAndIndex', blockHash, '0x0')).toBe(raw)
    }
    expect(await dev.rpc('eth_getRawTransactionByHash', `0x${'1'.repeat(64)}`)).toBeNull()
  })

  test('behavior: also where it was signed in units of 10^-18', async () => {
    const post = async (method: string, ...params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(`${dev.url}/wei`, { method: 'POST', body })
      return ((await response.json()) as { result: unknown }).result
    }
    const account = privateKeyToAccount(`0x${dev.chain.accounts[0]?.key}`)
    const raw = await account.signTransaction({
      chainId: dev.chain.chainId,
      gas: 21_000n,
      gasPrice: 100n * 10n ** 12n,
      nonce: 0,
      to: WHO,
      type: 'legacy',
      value: 10n ** 12n,
    })
    const hash = await post('eth_sendRawTransaction', raw)
    expect(await post('eth_getRawTransactionByHash', hash)).toBe(raw)
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

describe('blocks are replaced', () => {
  test('anvil_reorg: as many new blocks, with the transactions that are given', async () => {
    await dev.rpc('anvil_mine', 3)
    const gone = await send({ to: WHO, value: '0x5' })
    const height = await number()
    const old = (await dev.rpc('eth_getBlockByNumber', 'latest', false)) as { hash: Hex }
    const filter = await dev.rpc('eth_newBlockFilter')
    const transaction = { from: accountOf(0), to: WHO, value: '0x7' }
    expect(await dev.rpc('anvil_reorg', 3, [[transaction, 1]])).toBeNull()
    expect(await number()).toBe(height)
    const fresh = (await dev.rpc('eth_getBlockByNumber', 'latest', false)) as { hash: Hex }
    expect(fresh.hash).not.toBe(old.hash)
    expect(await dev.rpc('eth_getTransactionReceipt', gone)).toBeNull()
    expect(await dev.rpc('eth_getBalance', WHO, 'latest')).toBe('0x7')
    expect(
      await dev.rpc('eth_getBlockTransactionCountByNumber', `0x${(height - 1).toString(16)}`),
    ).toBe('0x1')
    expect(((await dev.rpc('eth_getFilterChanges', filter)) as Hex[]).at(-1)).toBe(fresh.hash)
  })

  test('anvil_reorg: a signed transaction', async () => {
    await dev.rpc('anvil_mine', 1)
    const request = { from: accountOf(1), to: WHO, value: '0x3', gas: '0x5208', nonce: '0x0' }
    const { raw } = (await dev.rpc('eth_signTransaction', request)) as { raw: Hex }
    await dev.rpc('anvil_reorg', 1, [[raw, 0]])
    expect(await dev.rpc('eth_getBalance', WHO, 'latest')).toBe('0x3')
  })

  test('behavior: a transaction that another client sends meanwhile is mined', async () => {
    await dev.rpc('anvil_mine', 2)
    const height = await number()
    const transaction = { from: accountOf(0), to: WHO, value: '0x1' }
    const other = { from: accountOf(2), to: WHO, value: '0x1', gas: '0x5208' }
    const { raw } = (await dev.rpc('eth_signTransaction', other)) as { raw: Hex }
    // The first change of the chain is the removal of the old blocks.
    let sent: Promise<unknown> | undefined
    const end = dev.chain.onBlock(() => void (sent ??= dev.rpc('eth_sendRawTransaction', raw)))
    await dev.rpc('anvil_reorg', 2, [
      [transaction, 0],
      [transaction, 1],
    ])
    end()
    const hash = await sent
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    expect(await dev.rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    expect(await dev.rpc('hardhat_getAutomine')).toBe(true)
    expect(await number()).toBeGreaterThanOrEqual(height)
  })

  test('error: deeper than the chain, or a block beyond the branch', async () => {
    const transaction = { from: accountOf(0), to: WHO }
    await expect(dev.rpc('anvil_reorg', 100, [])).rejects.toMatchObject({ code: -32602 })
    await expect(dev.rpc('anvil_rollback', 100)).rejects.toMatchObject({ code: -32602 })
    await expect(dev.rpc('anvil_reorg', 1, [[transaction, 1]])).rejects.toMatchObject({
      code: -32602,
    })
  })
})

describe('tokens', () => {
  const { abi, bytecode } = artifacts.Token

  async function deploy(): Promise<Address> {
    const data = encodeDeployData({ abi, bytecode: `0x${bytecode.replace('0x', '')}`, args: [1n] })
    const hash = await send({ data })
    const receipt = (await dev.rpc('eth_getTransactionReceipt', hash)) as {
      contractAddress: Address
      status: Hex
    }
    expect(receipt.status).toBe('0x1')
    return receipt.contractAddress
  }

  const call = async (to: Address, functionName: string, args: unknown[]) =>
    BigInt(
      (await dev.rpc('eth_call', {
        to,
        data: encodeFunctionData({ abi, functionName, args }),
      })) as Hex,
    )

  test('default: a balance and an allowance, without a block', async () => {
    const token = await deploy()
    const height = await number()
    expect(await dev.rpc('anvil_dealERC20', WHO, token, '0x4d2')).toBeNull()
    expect(await call(token, 'balanceOf', [WHO])).toBe(1234n)
    expect(await dev.rpc('anvil_setERC20Balance', WHO, token, '0x0')).toBeNull()
    expect(await call(token, 'balanceOf', [WHO])).toBe(0n)
    expect(
      await dev.rpc('anvil_setERC20Allowance', accountOf(0), WHO, token, `0x${'f'.repeat(64)}`),
    ).toBeNull()
    expect(await call(token, 'allowance', [accountOf(0), WHO])).toBe(2n ** 256n - 1n)
    expect(await number()).toBe(height)
  })

  test('error: nothing there is a token', async () => {
    await expect(dev.rpc('anvil_dealERC20', accountOf(0), WHO, '0x1')).rejects.toMatchObject({
      code: -32603,
      message: `no storage slot of ${WHO} holds the balance`,
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
    expect(replay.stateDiff[accountOf(0)]).toMatchObject({
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
    const call = { from: accountOf(0), to: WHO, value: '0x5' }
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
  })

  test('trace_callMany: each call runs on the state after the previous one', async () => {
    const before = await dev.rpc('eth_getBalance', WHO)
    const all = 10n ** 6n
    const gift = { from: accountOf(0), to: WHO, value: `0x${all.toString(16)}` }
    const back = { from: WHO, to: accountOf(0), value: gift.value }
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
    const { raw } = (await dev.rpc('eth_signTransaction', {
      from: accountOf(0),
      to: WHO,
      value: '0x5',
    })) as { raw: string }
    expect(await dev.rpc('trace_rawTransaction', raw, ['trace', 'stateDiff'])).toMatchObject({
      output: '0x',
      stateDiff: { [WHO]: {} },
      trace: [{ action: { from: accountOf(0), to: WHO, value: '0x5' } }],
    })
    expect(await dev.rpc('eth_getBalance', WHO)).toBe(before)
    await expect(dev.rpc('trace_rawTransaction', '0x02c0', ['trace'])).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('cannot be decoded'),
    })
  })

  test('args: nothing is wanted, or what is not offered', async () => {
    await send({ to: WHO, value: '0x5' })
    expect(await dev.rpc('trace_replayBlockTransactions', 'latest', [])).toMatchObject([
      { output: '0x', stateDiff: null, trace: [], vmTrace: null },
    ])
    expect(await dev.rpc('trace_replayBlockTransactions', '0x999', ['trace'])).toBeNull()
    await expect(
      dev.rpc('trace_replayBlockTransactions', 'latest', ['vmTrace']),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('debug_trace') })
  })
})
