import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'

import { rpcBlockOf } from '../../test/support/rpcBlock.ts'
import type { Block, Transaction, TransactionInfo } from '../native/wire/types.ts'
import { toHash } from './quantity.ts'
import { toRpcReceipts } from './receipt.ts'
import { toRpcSignature } from './signature.ts'
import { transactionBytes } from './size.ts'
import { toRpcTransaction } from './transaction.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes = (hex: string) => Buffer.from(hex, 'hex')

/** A call with no field but its type. The expected values are those of the node's test suite. */
const call: Transaction = {
  txID: hex(sha256(bytes('5a02081f'))),
  raw_data: { contract: [{ type: 'TriggerSmartContract', parameter: {} }] },
  raw_data_hex: '5a02081f',
}

describe('a bare call', () => {
  test('default', () => {
    const info: TransactionInfo = { id: call.txID, receipt: { energy_usage_total: 100 } }
    const block = { hash: toHash('9'), index: 0, number: 9, timestamp: 0 }
    expect(toRpcTransaction(call, { block, chainId: 1, energyPrice: 1n, info })).toMatchObject({
      blockNumber: '0x9',
      gas: '0x64',
      gasPrice: '0x1',
      hash: '0xdebef90d0a8077620711b1b5af2b702665887ddcbf80868108026e1ab5e0bfb7',
    })
  })

  test('behavior: a pending transaction has no block', () => {
    expect(toRpcTransaction(call, { chainId: 1, energyPrice: 1n })).toMatchObject({
      blockNumber: null,
      gasPrice: '0x1',
      nonce: '0x0',
    })
  })
})

test('behavior: a block of one empty transaction', () => {
  const block: Block = {
    blockID: '000000000000000036393ced0658419d3c251bc14ffab8d10c8b0898451054fa',
    block_header: { raw_data: {} },
    transactions: [
      {
        txID: '',
        raw_data: { contract: [{ type: 'UpdateBrokerageContract', parameter: { value: {} } }] },
        raw_data_hex: '',
      },
    ],
  }
  const { gasUsed, hash, transactions } = rpcBlockOf(block, [], {
    chainId: 1,
    energyPrice: 1n,
    full: true,
  })
  expect([hash, transactions.length, gasUsed]).toEqual([`0x${block.blockID}`, 1, '0x0'])
})

test('behavior: a receipt after others in its block', () => {
  const block: Block = {
    blockID: '0000000000000001464f071c8a336fd22eb5145dff1b245bda013ec89add8497',
    block_header: { raw_data: { number: 1 } },
    transactions: [call, { ...call, raw_data: { contract: [{ type: 'TransferContract' }] } }],
  }
  const log = { address: 'ab'.repeat(20) }
  const [, receipt] = toRpcReceipts(
    block,
    [
      { id: call.txID, log: [log, log, log], receipt: { energy_usage_total: 2 } },
      { id: call.txID, log: [log], receipt: { energy_usage_total: 100 } },
    ],
    { energyPrice: 1n },
  )
  expect(receipt).toMatchObject({
    blockNumber: '0x1',
    contractAddress: null,
    cumulativeGasUsed: '0x66',
    gasUsed: '0x64',
    logs: [{ logIndex: '0x3' }],
    status: '0x1',
    transactionIndex: '0x1',
    type: '0x0',
  })
  expect(receipt).not.toHaveProperty('root')
})

test('behavior: r, s and parity still recover the signer', () => {
  const id = '01b4cde4197b9d1a1ff09ef5d2b1d939d3ec2401b3f002ebd0802c0f30a6e4ca'
  const signature =
    '2154e8ef08f014063de8a88bafe748c8cbb48633c1657c083dca1a73439b289f6aa796bfa58797da6354d35fb7334a8c145c48ae266e4a885f7ee44791b5a3c31b'
  const { r, s, yParity } = toRpcSignature(signature)
  const key = new secp256k1.Signature(BigInt(r), BigInt(s), Number(yParity))
    .recoverPublicKey(bytes(id))
    .toBytes(false)
  expect(hex(keccak_256(key.subarray(1)).subarray(12))).toBe(
    'dd791d6b49e190062d650e6a23c575510d35f2f9',
  )
})

test('behavior: raw bytes of a transfer keep their id inside of a whole transaction', () => {
  const raw_data_hex =
    '0a0229272208939ece39d08a7abe40d8c483c1dd335a67080112630a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412320a1541dd791d6b49e190062d650e6a23c575510d35f2f912154192ad11c1bf16b3b14b0bd6b5c7e2db73a0b5e83a18c0843d70d68780c1dd33'
  const txID = '6303c7639f591407ef9f34a7ac8c9c9a21151f5a6af21924502515734fc267ab'
  expect(hex(sha256(bytes(raw_data_hex)))).toBe(txID)
  const whole = hex(transactionBytes({ raw_data: {}, raw_data_hex, txID }))
  expect(whole).toBe(`0a8501${raw_data_hex}`)
})
