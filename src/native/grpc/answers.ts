import { hash } from 'node:crypto'

import { keccak_256 } from '@noble/hashes/sha3.js'

import { contentsOf, malformed } from '../protobuf/fields.ts'
import {
  BlockHeader_RawSchema as HeaderSchema,
  BlockHeaderSchema,
  TransactionInfoSchema,
} from '../protobuf/gen/answers_pb.ts'
import { TransactionSchema } from '../protobuf/gen/transaction_pb.ts'
import { readFields, type Source, sourceOf } from '../protobuf/reader.ts'
import { type PackedContract, type PackedRawData, unpackContract } from '../protobuf/transaction.ts'
import type { Block, Contract, Hex, Transaction, TransactionInfo } from '../wire/types.ts'

// Whole answers of the gRPC interface, in the format of the HTTP interface.

/** A block. Undefined for an empty message: no such block. */
export function readBlock(bytes: Buffer): Block | undefined {
  return bytes.length === 0 ? undefined : blockAt(sourceOf(bytes), 0, bytes.length)
}

/** The blocks of a list. */
export function readBlocks(bytes: Buffer): Block[] {
  return listOf(bytes, blockAt)
}

/** A transaction, in a block or pending. Undefined for an empty message: no such transaction. */
export function readTransaction(bytes: Buffer): Transaction | undefined {
  return bytes.length === 0 ? undefined : transactionAt(sourceOf(bytes), 0, bytes.length)
}

/** The outcome of a transaction. Undefined for an empty message: no such transaction. */
export function readInfo(bytes: Buffer): TransactionInfo | undefined {
  return bytes.length === 0 ? undefined : infoAt(sourceOf(bytes), 0, bytes.length)
}

/** The outcomes of a block. */
export function readInfos(bytes: Buffer): TransactionInfo[] {
  return listOf(bytes, infoAt)
}

/** Field numbers. Lists have one field. */
const LIST_ITEM = 1
const BLOCK = { transactions: 1, header: 2 }
const RAW_DATA = 1

function listOf<item>(
  bytes: Buffer,
  read: (source: Source, from: number, to: number) => item,
): item[] {
  const source = sourceOf(bytes)
  return contentsOf(bytes, LIST_ITEM).map(({ end, start }) => read(source, start, end))
}

function infoAt(source: Source, from: number, to: number): TransactionInfo {
  return readFields(TransactionInfoSchema, source, from, to) as TransactionInfo
}

function blockAt(source: Source, from: number, to: number): Block {
  const [header] = contentsOf(source.bytes, BLOCK.header, from, to).slice(-1)
  if (!header) throw malformed()
  const transactions = contentsOf(source.bytes, BLOCK.transactions, from, to).map(
    ({ end, start }) => transactionAt(source, start, end),
  )
  return {
    ...headerAt(source, header.start, header.end),
    ...(transactions.length > 0 && { transactions }),
  }
}

/** A header with the id of its block: the hash of the header’s content, with the height in the first eight bytes. */
export function headerAt(source: Source, from: number, to: number) {
  const { end, start } = contentOf(source, from, to)
  const raw_data = readFields(HeaderSchema, source, start, end) as Block['block_header']['raw_data']
  const block_header = { ...readFields(BlockHeaderSchema, source, from, to), raw_data }
  const height = (raw_data.number ?? 0).toString(16).padStart(16, '0')
  return { blockID: height + sha256(source.bytes.subarray(start, end)).slice(16), block_header }
}

function transactionAt(source: Source, from: number, to: number): Transaction {
  const { end, start } = contentOf(source, from, to)
  const { raw_data, ...rest } = readFields(TransactionSchema, source, from, to) as Packed
  const txID = sha256(source.bytes.subarray(start, end))
  const contract = raw_data.contract?.map(contractOf) ?? []
  const [first] = contract
  return {
    ...rest,
    raw_data: { ...raw_data, contract },
    raw_data_hex: source.hex.slice(2 * start, 2 * end),
    txID,
    ...(first?.type === 'CreateSmartContract' && { contract_address: createdBy(txID, first) }),
  }
}

/** A transaction as `readFields` gives it. */
type Packed = Pick<Transaction, 'signature' | 'ret'> & { raw_data: PackedRawData }

/** The node leaves out a permission of 0, and what senders rarely set. */
function contractOf(packed: PackedContract): Contract {
  const { Permission_id = 0, parameter, type } = unpackContract(packed)
  return { parameter, type, ...(Permission_id > 0 && { Permission_id }) }
}

/** The address of a created contract, which the node adds: it depends on the transaction and its sender. */
function createdBy(txID: Hex, contract: Contract): Hex {
  const owner = contract.parameter?.value?.['owner_address']
  const input = Buffer.from(txID + (typeof owner === 'string' ? owner : ''), 'hex')
  return `41${Buffer.from(keccak_256(input).subarray(12)).toString('hex')}`
}

/** Where the content of a header or a transaction is. @throws TypeError when it is missing, or in several parts */
function contentOf({ bytes }: Source, from: number, to: number) {
  const [content, more] = contentsOf(bytes, RAW_DATA, from, to)
  if (!content || more) throw malformed()
  return content
}

const sha256 = (bytes: Uint8Array): Hex => hash('sha256', bytes, 'hex')
