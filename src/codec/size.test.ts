import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, test } from 'vitest'

import { heights, recordedBlock } from '../../test/support/recordedBlock.ts'
import type { Block, Transaction } from '../native/wire/types.ts'
import { blockSize, signedHeaderBytes, transactionBytes } from './size.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** A block of a public test network, without its transactions. */
const block: Block = {
  blockID: '0000000003fe262d52bfa4b2814f816fd2e57af5b98a33d60d8630a03a908e0e',
  block_header: {
    raw_data: {
      number: 66987565,
      timestamp: 1777445121000,
      txTrieRoot: 'faf8fe3858339ead25cc892461c82a59b84dca4a51c45b026676bf3f45a352a2',
      parentHash: '0000000003fe262c85cd6b02033f4c3e5c1efa35de256a17bd906dc61fb1aeed',
      witness_address: '41b2f713d57dbcec679d93a8849fa0cd0e4db594ba',
      version: 34,
    },
    witness_signature: '00'.repeat(65),
  },
}

const hashOf = (block: Block) =>
  (block.block_header.raw_data.number ?? 0).toString(16).padStart(16, '0') +
  hex(sha256(signedHeaderBytes(block))).slice(16)

/** The header's root: pairs are hashed together, an odd last node moves up without a hash. */
function merkleRoot(leaves: readonly Uint8Array[]): string {
  if (leaves.length === 0) return '0'.repeat(64)
  let level = leaves.map((leaf) => sha256(leaf))
  while (level.length > 1)
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, index) => {
      const pair = level.slice(2 * index, 2 * index + 2)
      return pair.length === 2 ? sha256(Buffer.concat(pair)) : (pair[0] ?? new Uint8Array())
    })
  return hex(level[0] ?? new Uint8Array())
}

/** A protobuf message of these fields, all with field number 1. */
function message(fields: readonly Uint8Array[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const field of fields) writer.tag(1, WireType.LengthDelimited).bytes(field)
  return writer.finish()
}

function headerFields(block: Block): Uint8Array[] {
  const { witness_signature: signature } = block.block_header
  return [signedHeaderBytes(block), ...(signature ? [Buffer.from(signature, 'hex')] : [])]
}

test('default', () => {
  expect(blockSize(block)).toBe(177)
  expect(hashOf(block)).toBe(block.blockID)
})

test('behavior: the hash of a header without fields', () => {
  const raw_data = { number: 1 }
  const empty = { blockID: '', block_header: { raw_data } }
  expect(hashOf(empty)).toBe('0000000000000001464f071c8a336fd22eb5145dff1b245bda013ec89add8497')
  expect(blockSize(empty)).toBe(6)
})

test.each([-1, 127, 128, 2 ** 35 - 1, 2 ** 35])(
  'behavior: the size with the number %i',
  (number) => {
    const numbered = { blockID: '', block_header: { raw_data: { number, version: 1 } } }
    expect(blockSize(numbered)).toBe(message([message(headerFields(numbered))]).length)
  },
)

test('behavior: the size includes every field of an outcome', () => {
  const transaction: Transaction = {
    raw_data: {},
    raw_data_hex: '5a02081f',
    ret: [
      {},
      { contractRet: 'OUT_OF_ENERGY', fee: 300, ret: 'FAILED' },
      {
        assetIssueID: '1',
        cancel_unfreezeV2_amount: [{ key: 'ENERGY', value: 0 }],
        orderDetails: [{ fillBuyQuantity: 1, makerOrderId: 'ff' }],
        withdraw_amount: -1,
      },
    ],
    signature: ['ab'],
    txID: '',
  }
  expect(hex(transactionBytes(transaction))).toBe(
    [
      '0a045a02081f',
      '1201ab',
      '2a00',
      '2a0708ac021001180a',
      '2a2372013178ffffffffffffffffff01d201050a01ff2001e2010a0a06454e455247591000',
    ].join(''),
  )
})

describe('the recorded chain', () => {
  test('behavior: the bytes of every block give its hash and root, so its size is exact', () => {
    for (const number of heights) {
      const { block } = recordedBlock(number)
      expect(hashOf(block)).toBe(block.blockID)
      const leaves = (block.transactions ?? []).map(transactionBytes)
      expect(merkleRoot(leaves)).toBe(block.block_header.raw_data.txTrieRoot)
      expect(blockSize(block)).toBe(message([message(headerFields(block)), ...leaves]).length)
    }
  })
})
