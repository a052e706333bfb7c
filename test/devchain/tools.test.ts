import { gzipSync } from 'node:zlib'

import { getContractAddress, type Hex, pad } from 'viem'
import { describe, expect, test } from 'vitest'

import { startFileDevGateway } from '../support/devGateway.ts'

const dev = await startFileDevGateway()

const WHO = `0x${'ab'.repeat(20)}`
/** The entry of its account in a dumped state. */
const ACCOUNT = `account:41${WHO.slice(2)}`

/** A block of a dumped chain, and a dump of such blocks. */
const blockOf = (number: number) => ({
  id: String(number).padStart(64, '0'),
  header: { number, timestamp: number, parentHash: '' },
  transactions: [],
  infos: [],
})
const dumpOf = (...blocks: unknown[]) => ({
  ethgate: 2,
  decimals: 6,
  chainId: 1,
  branches: 0,
  producers: [],
  changes: blocks.map((block) => ({ kind: 'block', block, changes: [] })),
})

const number = async () => Number(await dev.rpc('eth_blockNumber'))
const time = async () => {
  const block = (await dev.rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: Hex }
  return Number(block.timestamp)
}
const balance = async (who: string) => Number(await dev.rpc('eth_getBalance', who, 'latest'))
const transfer = () =>
  dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), to: WHO, value: '0x1' }) as Promise<Hex>

describe('blocks and time', () => {
  test('default: mine with an interval, at a time, several', async () => {
    const [height, start] = [await number(), await time()]
    await dev.rpc('hardhat_mine', '0x5', '0x3c')
    expect([await number(), await time()]).toEqual([height + 5, expect.any(Number)])
    expect(await time()).toBeGreaterThanOrEqual(start + 4 * 60)
    const later = (await time()) + 1000
    await dev.rpc('evm_mine', later)
    expect(await time()).toBe(later)
    await dev.rpc('evm_mine', { blocks: 3 })
    expect(await number()).toBe(height + 9)
    const blocks = (await dev.rpc('evm_mine_detailed', { blocks: 2 })) as { number: Hex }[]
    expect(blocks.map((block) => Number(block.number))).toEqual([height + 10, height + 11])
  })

  test('behavior: no two blocks have the same second, and the clock continues from a chosen time', async () => {
    const start = await time()
    await dev.rpc('anvil_mine', 3)
    expect(await time()).toBeGreaterThanOrEqual(start + 3)
    await dev.rpc('evm_setNextBlockTimestamp', String(start + 100_000))
    await dev.rpc('evm_mine')
    expect(await time()).toBe(start + 100_000)
    await dev.rpc('evm_increaseTime', '0x3e8')
    await dev.rpc('evm_mine')
    expect(await time()).toBeGreaterThanOrEqual(start + 101_000)
    await dev.rpc('anvil_setBlockTimestampInterval', 7)
    const fixed = await time()
    await dev.rpc('anvil_mine', 2)
    expect(await time()).toBe(fixed + 14)
    expect(await dev.rpc('anvil_removeBlockTimestampInterval')).toBe(true)
    expect(await dev.rpc('anvil_removeBlockTimestampInterval')).toBe(false)
    await expect(dev.rpc('evm_setNextBlockTimestamp', start)).rejects.toMatchObject({
      code: -32000,
    })
  })

  test('behavior: a revert takes the time back too', async () => {
    const [id, start] = [await dev.rpc('evm_snapshot'), await time()]
    await dev.rpc('evm_increaseTime', 1_000_000)
    await dev.rpc('evm_mine')
    await dev.rpc('evm_revert', id)
    await dev.rpc('evm_mine')
    expect(await time()).toBeLessThan(start + 1_000_000)
  })

  test('behavior: 5,000 empty blocks at once', async () => {
    const height = await number()
    await dev.rpc('hardhat_mine', '0x1388')
    expect(await number()).toBe(height + 5_000)
  })

  test('behavior: automine off and on', async () => {
    await dev.rpc('evm_setAutomine', false)
    expect(await dev.rpc('hardhat_getAutomine')).toBe(false)
    const hash = await transfer()
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toBeNull()
    // As on Hardhat and anvil, the next transaction makes the block.
    await dev.rpc('evm_setAutomine', true)
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toBeNull()
    const next = await transfer()
    const blocks = await Promise.all(
      [hash, next].map(
        async (one) =>
          ((await dev.rpc('eth_getTransactionReceipt', one)) as { blockNumber: string })
            .blockNumber,
      ),
    )
    expect(blocks[0]).toBe(blocks[1])
  })
})

describe('accounts', () => {
  test('default: balance, nonce, code and storage change without a block', async () => {
    const height = await number()
    await dev.rpc('hardhat_setBalance', WHO, '0x1234')
    await dev.rpc('anvil_addBalance', WHO, '0x1')
    await dev.rpc('hardhat_setNonce', WHO, '0x7')
    await expect(dev.rpc('hardhat_setNonce', WHO, '0x6')).rejects.toMatchObject({
      message: 'New nonce (6) must not be smaller than the existing nonce (7)',
    })
    await dev.rpc('anvil_setCode', WHO, '0x6001')
    await dev.rpc('hardhat_setStorageAt', WHO, '0x3', `0x${'0'.repeat(63)}9`)
    expect(await balance(WHO)).toBe(0x1235)
    expect(await dev.rpc('eth_getTransactionCount', WHO)).toBe('0x7')
    expect(await dev.rpc('eth_getCode', WHO)).toBe('0x6001')
    expect(await dev.rpc('eth_getStorageAt', WHO, '0x3')).toBe(`0x${'0'.repeat(63)}9`)
    expect(await number()).toBe(height)
    await dev.rpc('anvil_setCode', WHO, '0x')
    expect(await dev.rpc('eth_getCode', WHO)).toBe('0x')
  })

  test('behavior: code leaves the nonce as it is, so a contract at an unused address begins with 0', async () => {
    const factory = `0x${'fa'.repeat(20)}` as const
    // Returns the address of an empty contract that it creates.
    await dev.rpc('hardhat_setCode', factory, '0x5f5f5ff05f5260205ff3')
    expect(await dev.rpc('eth_getTransactionCount', factory)).toBe('0x0')
    const created = getContractAddress({ from: factory, nonce: 0n }).toLowerCase() as Hex
    expect(await dev.rpc('eth_call', { to: factory }, 'latest')).toBe(pad(created))
    await dev.rpc('anvil_setNonce', created, '0x0')
    await dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), to: factory })
    expect(await dev.rpc('eth_getTransactionCount', created)).toBe('0x1')
    await dev.rpc('hardhat_setCode', factory, '0x')
    expect(await dev.rpc('eth_getTransactionCount', factory)).toBe('0x1')
  })

  test('error: a balance, a nonce and a fee that are too large', async () => {
    const most = `0x${'f'.repeat(64)}`
    const int64 = '0x7fffffffffffffff'
    await dev.rpc('anvil_setBalance', WHO, int64)
    for (const [method, coins] of [
      ['anvil_addBalance', '0x1'],
      ['hardhat_setBalance', '0x8000000000000000'],
      ['tre_setAccountBalance', most],
    ] as const)
      await expect(dev.rpc(method, WHO, coins)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('at most 9223372036854775807') as string,
      })
    expect(await dev.rpc('eth_getBalance', WHO)).toBe(int64)
    await dev.rpc('anvil_impersonateAccount', WHO)
    await dev.rpc('anvil_setNonce', WHO, '0x1fffffffffffff')
    const send = () => dev.rpc('eth_sendTransaction', { from: WHO, to: dev.accountOf(0) })
    await send()
    await expect(send()).rejects.toMatchObject({ code: -32000, message: 'nonce has max value' })
    const tip = { from: dev.accountOf(0), to: WHO, maxPriorityFeePerGas: most }
    for (const method of ['eth_sendTransaction', 'eth_fillTransaction'])
      await expect(dev.rpc(method, tip)).rejects.toMatchObject({
        code: -32000,
        message: 'max fee per gas higher than 2^256-1',
      })
  })

  test('behavior: autoImpersonateAccount allows every account', async () => {
    await dev.rpc('anvil_setBalance', WHO, '0xffffffff')
    await dev.rpc('anvil_autoImpersonateAccount', true)
    const hash = await dev.rpc('eth_sendTransaction', {
      from: WHO,
      to: dev.accountOf(1),
      value: '0x1',
    })
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    await dev.rpc('anvil_autoImpersonateAccount', false)
    await expect(
      dev.rpc('eth_sendTransaction', { from: WHO, to: dev.accountOf(1) }),
    ).rejects.toThrow('unknown account')
  })
})

describe('the next block', () => {
  test('default: base fee, once', async () => {
    await dev.rpc('hardhat_setNextBlockBaseFeePerGas', '0x1')
    const hash = await dev.rpc('eth_sendTransaction', {
      from: dev.accountOf(0),
      to: WHO,
      value: '0x1',
    })
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({
      effectiveGasPrice: '0x1',
    })
    expect(await dev.rpc('eth_gasPrice')).toBe('0x64')
  })

  test('behavior: the block, the pending one and the history of fees have the chosen base fee', async () => {
    const baseFee = async (ref: string) =>
      ((await dev.rpc('eth_getBlockByNumber', ref, false)) as { baseFeePerGas: string })
        .baseFeePerGas
    await dev.rpc('evm_setAutomine', false)
    await dev.rpc('anvil_setNextBlockBaseFeePerGas', '0x7')
    expect(await baseFee('pending')).toBe('0x7')
    // Hardhat's client reads the price of the next block there.
    expect(await dev.rpc('eth_feeHistory', '0x1', 'latest', [])).toMatchObject({
      baseFeePerGas: ['0x64', '0x7'],
    })
    await dev.rpc('evm_mine')
    expect([await baseFee('latest'), await baseFee('pending')]).toEqual(['0x7', '0x64'])
    await dev.rpc('evm_mine')
    await dev.rpc('evm_setAutomine', true)
    expect(await baseFee('latest')).toBe('0x64')
    expect(await dev.rpc('eth_feeHistory', '0x2', 'latest', [])).toMatchObject({
      baseFeePerGas: ['0x7', '0x64', '0x64'],
    })
  })

  test('default: producer, randomness and gas limit, for contracts and in blocks', async () => {
    const before = await dev.rpc('eth_getBlockByNumber', 'latest', false)
    const mixHash = `0x${'7'.padStart(64, '0')}`
    await dev.rpc('hardhat_setCoinbase', WHO)
    await dev.rpc('hardhat_setPrevRandao', mixHash)
    await dev.rpc('evm_setBlockGasLimit', '0x1c9c380')
    expect(await dev.rpc('eth_coinbase')).toBe(WHO)
    const chosen = { gasLimit: '0x1c9c380', miner: WHO, mixHash }
    expect(await dev.rpc('eth_getBlockByNumber', 'pending', false)).toMatchObject(chosen)
    await dev.rpc('evm_mine')
    const block = await dev.rpc('eth_getBlockByNumber', 'latest', false)
    expect(block).toMatchObject(chosen)
    expect(await dev.rpc('eth_getBlockByNumber', '0x1', false)).toEqual(before)
    // COINBASE, PREVRANDAO and GASLIMIT.
    const data = '0x41600052446020524560405260606000f3'
    expect(await dev.rpc('eth_call', { data }, 'latest')).toBe(
      `0x${WHO.slice(2).padStart(64, '0')}${mixHash.slice(2)}${'1c9c380'.padStart(64, '0')}`,
    )
    await dev.rpc('evm_mine')
    const next = { ...chosen, mixHash: `0x${'0'.repeat(64)}` }
    expect(await dev.rpc('eth_getBlockByNumber', 'latest', false)).toMatchObject(next)
    await dev.rpc('hardhat_reset')
    await dev.rpc('evm_mine')
    await expect(dev.rpc('evm_setBlockGasLimit', '0x0')).rejects.toMatchObject({ code: -32602 })
    const after = (await dev.rpc('eth_getBlockByNumber', 'latest', false)) as { miner: Hex }
    expect(after).toMatchObject({ gasLimit: '0x5f5e100' })
    expect(after.miner).not.toBe(WHO)
  })
})

describe('the chain as a whole', () => {
  test('behavior: a reset makes blocks as at the start, as on Hardhat; not on anvil', async () => {
    for (const [reset, isRestored] of [
      ['anvil_reset', false],
      ['hardhat_reset', true],
    ] as const) {
      await dev.rpc('evm_setAutomine', false)
      await dev.rpc('anvil_setIntervalMining', 1_000)
      await dev.rpc(reset)
      expect([
        await dev.rpc('hardhat_getAutomine'),
        await dev.rpc('anvil_getIntervalMining'),
      ]).toEqual(isRestored ? [true, null] : [false, 1_000])
    }
  })

  test('behavior: reset goes back to the start', async () => {
    await transfer()
    await dev.rpc('anvil_reset')
    expect([await number(), await balance(WHO)]).toEqual([1, 0])
  })

  test('error: a reset to another chain is refused', async () => {
    const forking = { jsonRpcUrl: 'http://127.0.0.1:1', blockNumber: 1 }
    for (const method of ['hardhat_reset', 'anvil_reset'])
      await expect(dev.rpc(method, { forking })).rejects.toMatchObject({
        code: -32000,
        message: expect.stringContaining('--fork URL'),
      })
    expect(await dev.rpc('hardhat_reset', {})).toBe(true)
  })

  test('behavior: a dumped state is there again after a reset', async () => {
    await transfer()
    const dump = await dev.rpc('anvil_dumpState')
    await dev.rpc('anvil_reset')
    expect(await dev.rpc('anvil_loadState', dump)).toBe(true)
    expect([await number(), await balance(WHO)]).toEqual([2, 1])
    expect(await dev.rpc('eth_getTransactionCount', dev.accountOf(0))).toBe('0x1')
    await expect(dev.rpc('anvil_loadState', '0x1234')).rejects.toMatchObject({ code: -32602 })
    await dev.rpc('evm_mine')
    await dev.rpc('anvil_reset')
    expect([await number(), await balance(WHO)]).toEqual([1, 0])
  })

  test.each([
    ['no object', null],
    ['no state', { ethgate: 1, state: 5 }],
    ['an entry that is no pair', { ethgate: 1, state: [5] }],
    ['an entry without a name', { ethgate: 1, state: [[5, 6]] }],
    ['an account of another program', { ethgate: 1, state: [[ACCOUNT, { balance: '0x1' }]] }],
    ['no blocks', dumpOf()],
    ['a block without an id', dumpOf({ ...blockOf(0), id: undefined })],
    ['blocks that do not follow', dumpOf(blockOf(0), blockOf(2))],
    ['code as text', { ethgate: 1, state: [[`code:41${WHO.slice(2)}`, '0x6001']] }],
  ])('error: loadState with %s; nothing is changed', async (_, content) => {
    const dump = `0x${gzipSync(JSON.stringify(content)).toString('hex')}`
    await expect(dev.rpc('anvil_loadState', dump)).rejects.toMatchObject({
      code: -32602,
      message: 'this is not a state of an ethgate development chain',
    })
    expect(await balance(WHO)).toBe(0)
  })

  test('behavior: transactions leave the pool', async () => {
    await dev.rpc('evm_setAutomine', false)
    const hash = await transfer()
    expect(await dev.rpc('hardhat_dropTransaction', hash)).toBe(true)
    expect(await dev.rpc('hardhat_dropTransaction', hash)).toBe(false)
    const other = await transfer()
    expect(await dev.rpc('anvil_dropTransaction', other)).toBe(other)
    expect(await dev.rpc('anvil_dropTransaction', other)).toBeNull()
    await transfer()
    await dev.rpc('anvil_dropAllTransactions')
    await dev.rpc('evm_mine')
    expect(await balance(WHO)).toBe(0)
    await dev.rpc('evm_setAutomine', true)
    const mined = await transfer()
    await expect(dev.rpc('hardhat_dropTransaction', mined)).rejects.toMatchObject({
      code: -32602,
      message: `Transaction ${mined} cannot be dropped because it's already mined`,
    })
    expect(await dev.rpc('anvil_dropTransaction', mined)).toBeNull()
  })

  test('default: what tools ask to know where they are', async () => {
    expect(await dev.rpc('web3_clientVersion')).toMatch(/^anvil\/.*\/ethgate\/v/)
    expect(await dev.rpc('hardhat_metadata')).toMatchObject({ chainId: dev.chain.chainId })
    expect(await dev.rpc('anvil_nodeInfo')).toMatchObject({ currentBlockNumber: '0x1' })
    const id = (await dev.rpc('evm_snapshot')) as Hex
    expect(await dev.rpc('anvil_metadata')).toMatchObject({
      forkedNetwork: null,
      snapshots: { [id]: [1, expect.stringMatching(/^0x[\da-f]{64}$/)] },
    })
    await dev.rpc('anvil_setIntervalMining', 60)
    expect(await dev.rpc('anvil_getIntervalMining')).toBe(60)
    await dev.rpc('anvil_setIntervalMining', 0)
    expect(await dev.rpc('anvil_getIntervalMining')).toBeNull()
    expect(await dev.rpc('hardhat_setLoggingEnabled', false)).toBe(true)
    await expect(dev.rpc('eth_getProof', WHO, [], 'latest')).rejects.toMatchObject({ code: -32601 })
  })
})
