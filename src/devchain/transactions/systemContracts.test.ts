import { getContractAddress } from 'viem/utils'
import { expect, test } from 'vitest'

import { type DevGateway, onChain, startDevGateway } from '../../../test/support/devGateway.ts'
import { connectFork } from '../fork/connect.ts'

/** The contract that creates contracts with a salt. */
const from = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
/** The contract of beacon block roots, and the address that may write one. */
const ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
const SYSTEM = `0x${'ff'.repeat(19)}fe`
const salt = `0x${'07'.padStart(64, '0')}` as const

/** Creation code of a contract whose code is one STOP. */
const bytecode = '0x60016000f3'

test('default: creates contracts at the same addresses as on Ethereum', async () => {
  const dev = await startDevGateway()
  const [account] = (await dev.rpc('eth_accounts')) as string[]
  const data = salt + bytecode.slice(2)
  await dev.rpc('eth_sendTransaction', { from: account, to: from, data })
  const at = getContractAddress({ opcode: 'CREATE2', bytecode, from, salt })
  expect(await dev.rpc('eth_getCode', at, 'latest')).toBe('0x00')
  await dev.close()
})

test('args: absent with the native rule for addresses', async () => {
  const dev = await startDevGateway({ rules: { profile: 'native' } })
  expect(await dev.rpc('eth_getCode', from, 'latest')).toBe('0x')
  await dev.close()
})

test('behavior: a fork has it, also when its chain has not', async () => {
  const real = await startDevGateway({ rules: { profile: 'native' } })
  const fork = await connectFork({ url: real.url, cache: 'off' })
  const dev = await startDevGateway({ fork })
  expect(await real.rpc('eth_getCode', from, 'latest')).toBe('0x')
  expect(await dev.rpc('eth_getCode', from, 'latest')).toMatch(/^0x7f/)
  await dev.close()
  await real.close()
})

test('behavior: from Cancun on a test can write a beacon block root and read it', async () => {
  await onChain('prague', async (dev) => {
    const rpc: DevGateway['rpc'] = (method, ...params) => dev.rpc(method, ...params)
    const root = `0x${'11'.repeat(32)}`
    await rpc('hardhat_impersonateAccount', SYSTEM)
    await rpc('hardhat_setBalance', SYSTEM, '0xde0b6b3a7640000')
    await rpc('eth_sendTransaction', { data: root, from: SYSTEM, to: ROOTS })
    const { timestamp } = (await rpc('eth_getBlockByNumber', 'latest', false)) as {
      timestamp: string
    }
    const at = `0x${timestamp.slice(2).padStart(64, '0')}`
    expect(await rpc('eth_call', { data: at, to: ROOTS }, 'latest')).toBe(root)
    // A time without a root.
    await expect(rpc('eth_call', { data: root, to: ROOTS }, 'latest')).rejects.toMatchObject({
      code: 3,
    })
  })
  await onChain('london', async (dev) => {
    expect(await dev.rpc('eth_getCode', ROOTS, 'latest')).toBe('0x')
  })
})
