import { type Hex, keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'

import { type DevGateway, onChain, startFileDevGateway } from '../support/devGateway.ts'

const dev = await startFileDevGateway()

const OTHER = `0x${'ab'.repeat(20)}`
const BUILT_IN = `0x${'00'.repeat(19)}02`
const slot = (number: number) => `0x${number.toString(16).padStart(64, '0')}`

/**
 * Reads slot 1, writes slot 2, and looks at the balances of two accounts, at the sender's and at its own. With call data it
 * reverts at the end.
 */
const RUNTIME =
  '600154506005600255' +
  `73${OTHER.slice(2)}3150` +
  `73${BUILT_IN.slice(2)}3150` +
  '33315030315036605457' +
  '00'

async function deploy(node: Pick<DevGateway, 'accountOf' | 'rpc'> = dev): Promise<Hex> {
  const from = node.accountOf(0)
  const jumpTo = (RUNTIME.length / 2).toString(16).padStart(2, '0')
  const runtime = `${RUNTIME.replace('6054', `60${jumpTo}`)}5b60006000fd`
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  const data = `0x60${size}600c60003960${size}6000f3${runtime}`
  const hash = await node.rpc('eth_sendTransaction', { from, data })
  const receipt = await node.rpc('eth_getTransactionReceipt', hash)
  return (receipt as { contractAddress: Hex }).contractAddress
}

describe('eth_createAccessList', () => {
  test('default: slots of the receiver, and other accounts, but no precompiled contract', async () => {
    const to = await deploy()
    const call = { from: dev.accountOf(0), to }
    const list = await dev.rpc('eth_createAccessList', call)
    expect(list).toEqual({
      accessList: [
        { address: to, storageKeys: [slot(1), slot(2)] },
        { address: OTHER, storageKeys: [] },
      ],
      gasUsed: expect.stringMatching(/^0x[1-9a-f]/),
    })
    const hash = await dev.rpc('eth_sendTransaction', { ...call, ...(list as object) })
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({
      gasUsed: (list as { gasUsed: Hex }).gasUsed,
    })
  })

  test('behavior: with the gas of a hardfork, the gas is that of the call with the list, as in geth', () =>
    onChain('cancun', async (node) => {
      const to = await deploy(node)
      const call = { from: node.accountOf(0), to }
      const list = (await node.rpc('eth_createAccessList', call)) as { gasUsed: Hex }
      expect(list).toMatchObject({ accessList: [{ storageKeys: [slot(1), slot(2)] }, {}] })
      const used = async (more: object) => {
        const hash = await node.rpc('eth_sendTransaction', { ...call, ...more })
        return ((await node.rpc('eth_getTransactionReceipt', hash)) as { gasUsed: Hex }).gasUsed
      }
      // Both write a value that slot 2 has already, so they have no refund.
      await used({})
      const again = (await node.rpc('eth_createAccessList', call)) as { gasUsed: Hex }
      expect(await used(again)).toBe(again.gasUsed)
      expect(await used({})).not.toBe(again.gasUsed)
    }))

  test('args: an access list of the request is part of the answer', async () => {
    const to = await deploy()
    const accessList = [{ address: to, storageKeys: [slot(7), slot(1)] }]
    const call = { from: dev.accountOf(0), to, accessList }
    expect(await dev.rpc('eth_createAccessList', call, 'latest')).toMatchObject({
      accessList: [
        { address: to, storageKeys: [slot(7), slot(1), slot(2)] },
        { address: OTHER, storageKeys: [] },
      ],
    })
  })

  test('args: a block, and state overrides', async () => {
    const to = await deploy()
    const call = { from: dev.accountOf(0), to }
    expect(await dev.rpc('eth_createAccessList', call, 'earliest')).toEqual({
      accessList: [],
      gasUsed: '0x0',
    })
    const code = '0x60095450'
    expect(await dev.rpc('eth_createAccessList', call, 'latest', { [to]: { code } })).toMatchObject(
      {
        accessList: [{ address: to, storageKeys: [slot(9)] }],
      },
    )
  })

  test('behavior: a creation lists no account of its own, a transfer nothing', async () => {
    const from = dev.accountOf(0)
    const created = await dev.rpc('eth_createAccessList', { from, data: '0x6000600055303150' })
    expect(created).toMatchObject({
      accessList: [{ address: expect.stringMatching(/^0x/), storageKeys: [slot(0)] }],
    })
    expect(await dev.rpc('eth_createAccessList', { from, to: OTHER, value: '0x1' })).toEqual({
      accessList: [],
      gasUsed: '0x0',
    })
  })

  test('behavior: a call that reverts has a list and the error, as in geth', async () => {
    const to = await deploy()
    const call = { from: dev.accountOf(0), to, data: '0x01' }
    expect(await dev.rpc('eth_createAccessList', call)).toMatchObject({
      accessList: [{ storageKeys: [slot(1), slot(2)] }, { address: OTHER }],
      error: 'execution reverted',
    })
  })

  test('error: an unreadable access list', async () => {
    const call = { from: dev.accountOf(0), to: OTHER, accessList: [{ address: OTHER }] }
    await expect(dev.rpc('eth_createAccessList', call)).rejects.toMatchObject({ code: -32602 })
  })
})

describe('the types of eth_sendTransaction', () => {
  const transaction = async (more: object = {}) => {
    const request = { from: dev.accountOf(0), to: OTHER, value: '0x1', ...more }
    const hash = await dev.rpc('eth_sendTransaction', request)
    const raw = (await dev.rpc('eth_getRawTransactionByHash', hash)) as Hex
    expect(keccak256(raw)).toBe(hash)
    return dev.rpc('eth_getTransactionByHash', hash)
  }
  const accessList = [{ address: OTHER, storageKeys: [slot(3)] }]

  test('default: EIP-1559 without fee fields, with room for twice the price', async () => {
    expect(await transaction()).toMatchObject({
      type: '0x2',
      gasPrice: '0x64',
      maxFeePerGas: '0xc8',
      maxPriorityFeePerGas: '0x0',
    })
  })

  test('args: gasPrice, or type 0, makes a legacy transaction', async () => {
    expect(await transaction({ gasPrice: '0x65' })).toMatchObject({ type: '0x0' })
    expect(await transaction({ type: '0x0' })).toMatchObject({ type: '0x0', gasPrice: '0x64' })
  })

  test('args: an access list is signed', async () => {
    expect(await transaction({ accessList })).toMatchObject({ type: '0x2', accessList })
    expect(await transaction({ accessList, gasPrice: '0x64' })).toMatchObject({
      type: '0x1',
      accessList,
    })
    expect(await transaction({ type: '0x1' })).toMatchObject({ type: '0x1', accessList: [] })
  })

  test('error: both kinds of fees', async () => {
    await expect(transaction({ gasPrice: '0x64', maxFeePerGas: '0x64' })).rejects.toMatchObject({
      code: -32602,
    })
  })

  test('error: fields that the chain does not have are refused, not ignored', async () => {
    for (const more of [{ type: '0x4' }, { type: '0x3' }, { blobVersionedHashes: [slot(1)] }]) {
      await expect(transaction(more)).rejects.toMatchObject({ code: -32602 })
      const call = { from: dev.accountOf(0), to: OTHER, ...more }
      await expect(dev.rpc('eth_call', call)).rejects.toMatchObject({ code: -32602 })
    }
  })
})
