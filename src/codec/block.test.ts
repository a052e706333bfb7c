import { expect, test } from 'vitest'

import { recordedBlock } from '../../test/support/recordedBlock.ts'
import { rpcBlockOf } from '../../test/support/rpcBlock.ts'
import type { Block } from '../native/wire/types.ts'
import { BLOCK_GAS_LIMIT, toRpcHeader, toRpcTransactions } from './block.ts'

const options = { chainId: 0xb24e27cc, energyPrice: 100n, full: false }

test('default', () => {
  const { block, infos } = recordedBlock(131)
  expect(rpcBlockOf(block, infos, options)).toMatchInlineSnapshot(`
    {
      "difficulty": "0x0",
      "extraData": "0x",
      "gasLimit": "0x5f5e100",
      "gasUsed": "0xc767",
      "hash": "0x0000000000000083bfd661719a514ccb2178179cf740347e25092ada88bd7dea",
      "logsBloom": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000200000000000000000000000000008000004000000000000000000000000000000002000000000000000000000000000000000000000000000000000000010000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000100400000000000000000000000200002000020000000000000000000000000000000000000000000000000000010000000010000000000000000004000000000000000000000000000080000",
      "miner": "0x74eca8224357025c103f2aa34918bf5ac222cbad",
      "mixHash": "0x0000000000000000000000000000000000000000000000000000000000000000",
      "nonce": "0x0000000000000000",
      "number": "0x83",
      "parentHash": "0x00000000000000824ad7a032f3f9e2a4facd4344d9767ac13e5869b8fb2c52f6",
      "receiptsRoot": "0x0000000000000000000000000000000000000000000000000000000000000000",
      "sha3Uncles": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
      "size": "0x759",
      "stateRoot": "0x0000000000000000000000000000000000000000000000000000000000000000",
      "timestamp": "0x6b018571",
      "totalDifficulty": "0x0",
      "transactions": [
        "0xf3334171353c6e727813bda343071ed718a6b94b1f28b9dc2b9931ad0caf22b7",
        "0x7c40f58122e2ca8717920f9cf90f091ae03f5b06facf2fe06a2e55f87f2f1708",
        "0x6a6547648ed575f06bf2bdb0a62b89148b06bb6d67c35569d1dadfca98cbd01d",
        "0xfd207339a44cf5231046453fe56593dfff300dd92d0d0a05ec1ab48a2cef0541",
        "0xc3114046f5a6e6ec1c382525d43c7a7f00b7721aea8e7494b38a61caca714613",
        "0xad5d6c8069c4e324a72fe1b10c2f15b6f854c795cc53f7a83ccee3e60e1cf9d5",
        "0xe8cbdf3ec1a7fbaa385deec82d48a8af2b5fcbe8c6e28600c5bb67e6dd5372d0",
      ],
      "transactionsRoot": "0x2f03259cf37ee84371aff9e6fa3b756069b46ce96e75c55c64ef80ff0d484895",
      "uncles": [],
    }
  `)
})

test('args: full', () => {
  const { block, infos } = recordedBlock(131)
  const { transactions } = rpcBlockOf(block, infos, { ...options, full: true })
  expect(transactions).toEqual(toRpcTransactions(block, infos, options))
  expect(transactions).toHaveLength(7)
})

test('behavior: genesis has no parent and an empty bloom', () => {
  const { block, infos } = recordedBlock(0)
  const { logsBloom, ...genesis } = rpcBlockOf(block, infos, options)
  expect(BigInt(logsBloom)).toBe(0n)
  expect(genesis).toMatchInlineSnapshot(`
    {
      "difficulty": "0x0",
      "extraData": "0x",
      "gasLimit": "0x5f5e100",
      "gasUsed": "0x0",
      "hash": "0x00000000000000005ac47ecd0b7e9c5161ebb99d00a95c91a95aeef7b24e27cc",
      "miner": "0x0000000000000000000000000000000000000000",
      "mixHash": "0x0000000000000000000000000000000000000000000000000000000000000000",
      "nonce": "0x0000000000000000",
      "number": "0x0",
      "parentHash": "0x0000000000000000000000000000000000000000000000000000000000000000",
      "receiptsRoot": "0x0000000000000000000000000000000000000000000000000000000000000000",
      "sha3Uncles": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
      "size": "0x21e",
      "stateRoot": "0x0000000000000000000000000000000000000000000000000000000000000000",
      "timestamp": "0x0",
      "totalDifficulty": "0x0",
      "transactions": [
        "0x6f38a5efe45b862bf522f6ea50c12377691c32d00c22d7096a5741f7af392dba",
        "0xcbcddfb4342a00f405c347814265ec41c0a87b1006c4530421ca1c20e4b4c078",
        "0xe94ce7e7e79ce733d90c288590e34c94464a225447250997705146a8eebcbd62",
      ],
      "transactionsRoot": "0xa6ce2a58fa2507dd7b3f5d54c0a0eb45aa09f04ac1051679482497805c8a3167",
      "uncles": [],
    }
  `)
})

test('behavior: an empty block has the root of an empty trie', () => {
  const { block, infos } = recordedBlock(150)
  const header = toRpcHeader(block, infos)
  expect(header.transactionsRoot).toBe(
    '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  )
})

test('args: baseFeePerGas', () => {
  const { block, infos } = recordedBlock(150)
  expect(toRpcHeader(block, infos)).not.toHaveProperty('baseFeePerGas')
  expect(toRpcHeader(block, infos, { baseFeePerGas: 210n }).baseFeePerGas).toBe('0xd2')
  expect(toRpcHeader(block, infos, { baseFeePerGas: 0n }).baseFeePerGas).toBe('0x0')
})

test('behavior: the state root of a chain that has one', () => {
  const block: Block = {
    blockID: '',
    block_header: { raw_data: { accountStateRoot: 'ab'.repeat(32) } },
  }
  expect(toRpcHeader(block, []).stateRoot).toBe(`0x${'ab'.repeat(32)}`)
})

test('behavior: the gas limit is at least the used gas', () => {
  const block: Block = { blockID: '', block_header: { raw_data: {} } }
  const used = (energy_usage_total: number) => {
    const { gasLimit, gasUsed } = toRpcHeader(block, [{ id: '', receipt: { energy_usage_total } }])
    return [BigInt(gasLimit), BigInt(gasUsed)]
  }
  expect(used(0)).toEqual([BLOCK_GAS_LIMIT, 0n])
  expect(used(300_000_000)).toEqual([300_000_000n, 300_000_000n])
})
