import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

import type { Block, Transaction, TransactionResult } from '../native/wire/types.ts'
import { toInt64 } from './quantity.ts'

/**
 * Length in bytes of the block's protobuf message, which the node stores and which the JSON determines completely.
 *
 * Exact unless a transaction has fields that the node does not print. Then the Merkle root over `transactionBytes` would
 * differ from that of the header.
 */
export function blockSize(block: Block): number {
  const transactions = block.transactions ?? []
  const bodies = transactions.map((transaction) => fieldSize(transactionSize(transaction)))
  return bodies.reduce((sum, size) => sum + size, fieldSize(headerSize(block)))
}

/** Bytes of the header's signed part. Its SHA-256 is part of the block's hash. */
export function signedHeaderBytes({ block_header: { raw_data: header } }: Block): Uint8Array {
  return message([
    int(1, header.timestamp),
    hexBytes(2, header.txTrieRoot),
    hexBytes(3, header.parentHash),
    int(7, header.number),
    int(8, header.witness_id),
    hexBytes(9, header.witness_address),
    int(10, header.version),
    hexBytes(11, header.accountStateRoot),
  ])
}

/** Bytes of a whole transaction, signatures and outcome included: the leaves of the header's Merkle root. */
export function transactionBytes({ raw_data_hex, ret, signature }: Transaction): Uint8Array {
  return message([
    bytes(1, Buffer.from(raw_data_hex, 'hex')),
    ...(signature ?? []).map((hex) => bytes(2, Buffer.from(hex, 'hex'))),
    ...(ret ?? []).map((result) => bytes(5, encodeResult(result))),
  ])
}

function transactionSize({ raw_data_hex, ret, signature }: Transaction): number {
  let size = fieldSize(raw_data_hex.length / 2)
  for (const hex of signature ?? []) size += fieldSize(hex.length / 2)
  for (const result of ret ?? []) size += fieldSize(encodeResult(result).length)
  return size
}

/** Length of the header: its signed part and its signature. */
function headerSize(block: Block): number {
  const { witness_signature } = block.block_header
  return fieldSize(signedHeaderBytes(block).length) + hexSize(witness_signature)
}

/** Outcomes by number, as the protobuf enum counts them. */
const OUTCOMES = [
  'DEFAULT',
  'SUCCESS',
  'REVERT',
  'BAD_JUMP_DESTINATION',
  'OUT_OF_MEMORY',
  'PRECOMPILED_CONTRACT',
  'STACK_TOO_SMALL',
  'STACK_TOO_LARGE',
  'ILLEGAL_OPERATION',
  'STACK_OVERFLOW',
  'OUT_OF_ENERGY',
  'OUT_OF_TIME',
  'JVM_STACK_OVER_FLOW',
  'UNKNOWN',
  'TRANSFER_FAILED',
  'INVALID_CODE',
]

/** The bytes of almost every outcome. */
const SUCCESS = Uint8Array.of(0x18, 1)

function encodeResult(result: TransactionResult): Uint8Array {
  const keys = Object.keys(result)
  if (keys.length === 1 && result.contractRet === 'SUCCESS') return SUCCESS
  return message([
    int(1, result.fee),
    int(2, result.ret === 'FAILED' ? 1 : 0),
    int(3, outcomeNumber(result.contractRet)),
    text(14, result['assetIssueID']),
    int(15, result['withdraw_amount']),
    int(16, result['unfreeze_amount']),
    int(18, result['exchange_received_amount']),
    int(19, result['exchange_inject_another_amount']),
    int(20, result['exchange_withdraw_another_amount']),
    int(21, result['exchange_id']),
    int(22, result['shielded_transaction_fee']),
    hexBytes(25, result['orderId']),
    ...records(result['orderDetails']).map((order) =>
      bytes(
        26,
        message([
          hexBytes(1, order['makerOrderId']),
          hexBytes(2, order['takerOrderId']),
          int(3, order['fillSellQuantity']),
          int(4, order['fillBuyQuantity']),
        ]),
      ),
    ),
    int(27, result['withdraw_expire_amount']),
    // A map entry contains its key and value even if they are defaults.
    ...records(result['cancel_unfreezeV2_amount']).map((entry) =>
      bytes(28, message([text(1, entry['key'], true), int(2, entry['value'], true)])),
    ),
  ])
}

function outcomeNumber(name: string | undefined): number {
  return name === undefined ? 0 : Math.max(0, OUTCOMES.indexOf(name))
}

function records(input: unknown): Record<string, unknown>[] {
  return Array.isArray(input) ? (input as Record<string, unknown>[]) : []
}

/** Encodes one field; a default has no bytes, as in protobuf. */
type Field = (writer: BinaryWriter) => void

function message(fields: Field[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const write of fields) write(writer)
  return writer.finish()
}

function bytes(field: number, content: Uint8Array): Field {
  return (writer) => void writer.tag(field, WireType.LengthDelimited).bytes(content)
}

function hexBytes(field: number, hex: unknown): Field {
  return typeof hex === 'string' && hex !== '' ? bytes(field, Buffer.from(hex, 'hex')) : () => {}
}

function text(field: number, input: unknown, always = false): Field {
  const content = typeof input === 'string' ? input : ''
  return content !== '' || always ? bytes(field, Buffer.from(content)) : () => {}
}

function int(field: number, input: unknown, always = false): Field {
  const value = toInt64(input)
  if (value === 0n && !always) return () => {}
  return (writer) => void writer.tag(field, WireType.Varint).int64(value)
}

/** Length of a field with the bytes of a hex text. */
function hexSize(hex: string | undefined): number {
  return hex === undefined || hex === '' ? 0 : fieldSize(hex.length / 2)
}

/** Length of a length-delimited field with a field number below 16: tag, length and content. */
function fieldSize(length: number): number {
  let size = 2 + length
  for (let rest = length; rest > 0x7f; rest >>>= 7) size += 1
  return size
}
