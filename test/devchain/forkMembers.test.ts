import { Ajv } from 'ajv'
import type { Hex } from 'viem'
import { describe, expect, test, vi } from 'vitest'

import type { OpenRpcDocument } from '../../src/rpc/openrpc/document.ts'
import { createClient } from '../support/client.ts'
import { type Energy, onChain } from '../support/devGateway.ts'

const ZERO: Hex = `0x${'0'.repeat(64)}`
const shanghai = {
  withdrawals: [],
  withdrawalsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
}
const cancun = {
  ...shanghai,
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: ZERO,
}
const prague = {
  ...cancun,
  requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
}

/** Returns the result of BLOBBASEFEE. */
const CODE: Hex = '0x4a60005260206000f3'

/** The members of a block that hardforks after London added. */
const addedOf = (block: unknown) =>
  Object.fromEntries(
    Object.entries(block as object).filter(([name]) =>
      /^(withdraw|.*blob|parentB|req)/i.test(name),
    ),
  )

describe('members of blocks, as on anvil 1.7.1', () => {
  test.each<[Energy, object]>([
    ['native', {}],
    ['paris', {}],
    ['shanghai', shanghai],
    ['cancun', cancun],
    ['prague', prague],
    ['osaka', prague],
  ])('default: %s', async (energy, expected) => {
    await onChain(energy, async (node) => {
      const first = await node.rpc('eth_getBlockByNumber', '0x0', false)
      await node.rpc('evm_mine')
      const newest = (await node.rpc('eth_getBlockByNumber', 'latest', true)) as { hash: Hex }
      const [simulated] = (await node.rpc('eth_simulateV1', { blockStateCalls: [{}] })) as object[]
      const blocks = [
        first,
        newest,
        await node.rpc('eth_getBlockByHash', newest.hash, false),
        await node.rpc('eth_getBlockByNumber', 'pending', false),
        simulated,
      ]
      expect(blocks.map(addedOf)).toEqual(blocks.map(() => expected))
      const { withdrawals: _, ...header } = expected as Partial<typeof prague>
      expect(addedOf(await node.rpc('erigon_getHeaderByNumber', 'latest'))).toEqual(header)
    })
  })

  test('behavior: newHeads has them', async () => {
    await onChain('prague', async (node) => {
      const socket = await createClient(node.url).socket()
      const heads = await socket.rpc<string>('eth_subscribe', 'newHeads')
      await node.rpc('evm_mine')
      await vi.waitFor(() => expect(socket.of(heads).map(addedOf)).toEqual([prague]))
      await socket.close()
    })
  })

  test('behavior: the document of the methods describes them', async () => {
    await onChain('prague', async (node) => {
      const { methods } = (await node.rpc('rpc.discover')) as OpenRpcDocument
      const ajv = new Ajv({ allErrors: true, strict: false })
      for (const [method, ...params] of [
        ['eth_getBlockByNumber', 'latest', false],
        ['eth_feeHistory', '0x1', 'latest', [50]],
        ['eth_blobBaseFee'],
      ] as const) {
        const validate = ajv.compile(
          methods.find(({ name }) => name === method)?.result.schema ?? {},
        )
        validate(await node.rpc(method, ...params))
        expect(validate.errors).toBeNull()
      }
    })
  })
})

describe('price of blobs', () => {
  test('default: 1 from Cancun on, the least that Ethereum has', async () => {
    await onChain('cancun', async (node) => {
      expect(await node.rpc('eth_blobBaseFee')).toBe('0x1')
      expect(await node.rpc('eth_feeHistory', '0x1', 'latest', [])).toMatchObject({
        baseFeePerBlobGas: ['0x1', '0x1'],
        blobGasUsedRatio: [0],
      })
      expect(await node.rpc('eth_call', { data: CODE })).toBe(`0x${'1'.padStart(64, '0')}`)
    })
  })

  test('error: there is none before, and none on the EVM of the chain', async () => {
    for (const energy of ['shanghai', 'native'] as const)
      await onChain(energy, async (node) => {
        await expect(node.rpc('eth_blobBaseFee')).rejects.toMatchObject({ code: -32601 })
        expect(await node.rpc('eth_feeHistory', '0x1', 'latest', [])).not.toHaveProperty(
          'baseFeePerBlobGas',
        )
      })
  })

  test('behavior: the operation gives 0 on the EVM of the chain', async () => {
    await onChain('native', async (node) => {
      expect(await node.rpc('eth_call', { data: CODE })).toBe(ZERO)
    })
  })
})
