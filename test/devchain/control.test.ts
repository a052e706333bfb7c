import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { artifacts } from '../support/recordedChain.ts'

let dev: DevGateway

beforeAll(async () => {
  dev = await startDevGateway()
})

afterAll(() => dev.close())

const number = async () => Number(await dev.rpc('eth_blockNumber'))
const send = (value: string) =>
  dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), to: dev.accountOf(1), value })

describe('control of the dev chain', () => {
  test('evm_mine: makes a block that is seen at once', async () => {
    const before = await number()
    expect(await dev.rpc('evm_mine')).toBe('0x0')
    expect(await number()).toBe(before + 1)
    expect(await dev.rpc('anvil_mine', '0x5')).toBeNull()
    expect(await number()).toBe(before + 6)
  })

  test('evm_increaseTime: a day passes, and the chain goes on', async () => {
    const time = async () => {
      const block = (await dev.rpc('eth_getBlockByNumber', 'latest', false)) as {
        timestamp: string
      }
      return Number(block.timestamp)
    }
    const before = await time()
    await dev.rpc('evm_increaseTime', 86_400)
    await dev.rpc('evm_mine')
    expect(await time()).toBeGreaterThanOrEqual(before + 86_400)
    const hash = await send('0x1')
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  test('evm_snapshot, evm_revert: goes back, height and state', async () => {
    const height = await number()
    const balance = await dev.rpc('eth_getBalance', dev.accountOf(1), 'latest')
    const id = await dev.rpc('evm_snapshot')
    const hash = await send('0x64')
    expect(await number()).toBe(height + 1)
    expect(await dev.rpc('evm_revert', id)).toBe(true)
    expect(await number()).toBe(height)
    expect(await dev.rpc('eth_getBalance', dev.accountOf(1), 'latest')).toBe(balance)
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await dev.rpc('evm_revert', id)).toBe(false)
  })

  test('evm_reorg: a longer branch, transactions come back or not', async () => {
    await dev.rpc('anvil_mine', '0x4')
    const hash = await send('0x2')
    const old = (await dev.rpc('eth_getTransactionReceipt', hash)) as { blockHash: string }
    const height = await number()
    expect(await dev.rpc('evm_reorg', { depth: 2 })).toMatchObject({ depth: 2 })
    expect(await number()).toBe(height + 1)
    const again = (await dev.rpc('eth_getTransactionReceipt', hash)) as { blockHash: string }
    expect(again.blockHash).not.toBe(old.blockHash)
    expect(await dev.rpc('eth_getBlockByHash', old.blockHash, false)).toBeNull()
    await dev.rpc('evm_reorg', { depth: 3, transactions: 'drop' })
    await expect(dev.rpc('evm_reorg', { depth: 50 })).rejects.toMatchObject({ code: -32000 })
  })

  test('evm_setAutomine: a transaction waits until a block is made', async () => {
    await dev.rpc('evm_setAutomine', false)
    const hash = await send('0x3')
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await dev.rpc('eth_getTransactionByHash', hash)).toMatchObject({ blockHash: null })
    await dev.rpc('evm_mine')
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    await dev.rpc('evm_setAutomine', true)
  })

  test('evm_setIntervalMining: refuses intervals that no timer supports', async () => {
    await expect(dev.rpc('evm_setIntervalMining', 2 ** 31)).rejects.toThrow(
      'at most 2147483647 milliseconds',
    )
    expect(await dev.rpc('evm_setIntervalMining', 2 ** 31 - 1)).toBe(true)
    expect(await dev.rpc('evm_setIntervalMining', 0)).toBe(true)
  })

  test('anvil_setBalance, setCode, setStorageAt', async () => {
    const somebody = `0x${'ab'.repeat(20)}`
    await dev.rpc('anvil_setBalance', somebody, '0x1234')
    expect(await dev.rpc('eth_getBalance', somebody, 'latest')).toBe('0x1234')
    const runtime = `0x${artifacts.Kitchen.runtime.replace('0x', '')}`
    await dev.rpc('hardhat_setCode', somebody, runtime)
    expect(await dev.rpc('eth_getCode', somebody, 'latest')).toBe(runtime)
    await dev.rpc('hardhat_setStorageAt', somebody, '0x0', `0x${'0'.repeat(62)}2a`)
    const n = await dev.rpc('eth_call', { to: somebody, data: '0x2e52d606' }, 'latest')
    expect(n).toBe(`0x${'0'.repeat(62)}2a`)
    expect(await dev.rpc('eth_getStorageAt', somebody, '0x0', 'latest')).toBe(n)
  })

  test('dev_setFaults: the gateway works with a bad node', async () => {
    await dev.rpc('dev_setFaults', {
      dropRate: 0.3,
      rateLimitRate: 0.2,
      operations: ['getaccount'],
    })
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        dev.rpc('eth_getBalance', dev.accountOf(i % 10), 'latest'),
      ),
    )
    // Right, or an error that says so; never a wrong balance.
    const wrong = answers.filter((answer) =>
      answer.status === 'fulfilled'
        ? !/^0x[\da-f]+$/.test(String(answer.value))
        : (answer.reason as { code?: number }).code === undefined,
    )
    expect(wrong).toEqual([])
    await dev.rpc('dev_setFaults', {})
    expect(await dev.rpc('eth_getBalance', dev.accountOf(9), 'latest')).toBe('0x2540be400')
    await expect(dev.rpc('dev_setFaults', { bogus: 1 })).rejects.toMatchObject({ code: -32602 })
  })
})
