import { Buffer } from 'buffer'

import {
  create,
  type DescMessage,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { sha256 } from '@noble/hashes/sha2.js'

import type { Contract, Hex, Int64, Transaction, TransactionResult } from '../wire/types.ts'
import { contractSchema } from './contracts.ts'
import {
  Contract_ContractTypeSchema as ContractTypeSchema,
  ContractSchema,
  ParameterSchema,
  type RawData,
  type Result,
  RawDataSchema,
  ResultSchema,
  TransactionSchema,
} from './gen/transaction_pb.ts'
import { bytesOfHex, messageFromJson, type Spelling } from './message.ts'
import { readFields, sourceOf } from './reader.ts'

/** The content of a transaction in the node's JSON. */
export type RawDataJson = Transaction['raw_data']

/** The last time that a date can show, milliseconds. */
const LAST_DATE = 8.64e15

/** When a transaction expires, in milliseconds, limited to what a Date can hold: its sender may have signed any int64. */
export const expirationOf = ({ expiration = 0 }: { expiration?: Int64 }): number =>
  Math.max(0, Math.min(Number(expiration), LAST_DATE))

/** The fields of a transaction that {@link encodeTransaction} needs. The content is `raw_data_hex` if present, else `raw_data`. */
export type EncodableTransaction = {
  raw_data?: RawDataJson
  raw_data_hex?: Hex
  signature?: readonly Hex[]
  ret?: Transaction['ret']
  visible?: boolean
}

const TYPE_URL = 'type.googleapis.com/protocol.'

/**
 * `raw_data` as the bytes that are hashed and signed.
 *
 * @throws TypeError that names the field that cannot be encoded
 */
export function rawDataFromJson(json: RawDataJson, spelling: Spelling = {}): Buffer {
  const { contract, ...rest } = json
  const message = messageFromJson(RawDataSchema, rest, spelling, 'raw_data') as RawData
  message.contract = (contract ?? []).map((item) => contractFromJson(item, spelling))
  return Buffer.from(toBinary(RawDataSchema, message))
}

/**
 * The bytes of a `raw_data` in the node's JSON. A contract of an unknown type has no `value`, as the node prints it.
 *
 * @throws TypeError when the bytes are not a `raw_data` message.
 */
export function rawDataToJson(bytes: Uint8Array, spelling: Spelling = {}): RawDataJson {
  const { contract, ...rest } = read(RawDataSchema, bytes, 'raw_data', spelling) as PackedRawData
  return {
    ...rest,
    ...(contract && { contract: contract.map((one) => unpackContract(one, spelling)) }),
  }
}

/** The bytes of one result of a transaction, as in the transaction of a block. */
export function encodeResult(result: TransactionResult): Uint8Array {
  return toBinary(ResultSchema, messageFromJson(ResultSchema, result, {}, 'ret') as Result)
}

/** The whole transaction for `broadcasthex`: content, signatures and, if present, results. Hex without `0x`. */
export function encodeTransaction(transaction: EncodableTransaction): Hex {
  const spelling = { visible: transaction.visible }
  return Buffer.from(
    toBinary(
      TransactionSchema,
      create(TransactionSchema, {
        rawData: readMessage(RawDataSchema, rawDataBytes(transaction), 'raw_data'),
        signature: (transaction.signature ?? []).map((hex) => bytesOfHex(hex, 'signature')),
        ret: (transaction.ret ?? []).map(
          (result) => messageFromJson(ResultSchema, result, spelling, 'ret') as never,
        ),
      }),
    ),
  ).toString('hex')
}

/**
 * A serialised transaction in the node's JSON, with `txID` and `raw_data_hex`. The fields of the content are sorted first,
 * as the node does before it computes the hash.
 *
 * @throws TypeError when the bytes are not a transaction.
 */
export function decodeTransaction(input: string | Uint8Array): Transaction {
  const bytes = typeof input === 'string' ? bytesOfHex(input, 'transaction') : input
  const message = readMessage(TransactionSchema, bytes, 'transaction')
  if (!message.rawData) throw new TypeError('transaction: raw_data is missing')
  const raw = Buffer.from(toBinary(RawDataSchema, message.rawData))
  const { raw_data: _, ...rest } = read(TransactionSchema, bytes, 'transaction')
  return {
    txID: transactionId(raw),
    raw_data: rawDataToJson(raw),
    raw_data_hex: raw.toString('hex'),
    ...rest,
  }
}

/** The transaction's id: SHA-256 of its `raw_data` bytes. It is what a key signs, and the hash in Ethereum tools. */
export function transactionId(raw: Uint8Array | Hex): Hex {
  const bytes = typeof raw === 'string' ? bytesOfHex(raw, 'raw_data_hex') : raw
  return Buffer.from(sha256(bytes)).toString('hex')
}

/** The bytes of a transaction's content: `raw_data_hex` if present, else the encoded `raw_data`. */
export function rawDataBytes(transaction: EncodableTransaction): Buffer {
  if (transaction.raw_data_hex) return bytesOfHex(transaction.raw_data_hex, 'raw_data_hex')
  if (transaction.raw_data)
    return rawDataFromJson(transaction.raw_data, { visible: transaction.visible })
  throw new TypeError('transaction: raw_data and raw_data_hex are missing')
}

function contractFromJson(json: Contract, spelling: Spelling) {
  const { parameter, ...rest } = json
  const url = parameter?.type_url
  const type = json.type ?? url?.slice(url.indexOf('protocol.') + 9) ?? 'AccountCreateContract'
  const schema = contractSchema(type)
  if (!schema) throw new TypeError(`contract.type: ${type} cannot be encoded`)
  const message = messageFromJson(ContractSchema, { ...rest, type }, spelling, 'contract')
  const value = messageFromJson(schema, parameter?.value ?? {}, spelling)
  return Object.assign(message as MessageShape<typeof ContractSchema>, {
    parameter: create(ParameterSchema, {
      typeUrl: url?.startsWith(TYPE_URL) ? url : TYPE_URL + type,
      value: toBinary(schema, value),
    }),
  })
}

/** A `raw_data` whose contracts have serialised parameters, as `readFields` gives it. */
export type PackedRawData = Omit<RawDataJson, 'contract'> & { contract?: PackedContract[] }

/** A contract whose parameter is serialised. */
export type PackedContract = Omit<Contract, 'parameter'> & {
  parameter?: { type_url?: string; value?: Hex }
}

/** A contract with the fields of its parameter, as the node prints it. @throws TypeError when the bytes are not of its type */
export function unpackContract({ parameter, ...rest }: PackedContract, spelling?: Spelling) {
  // The one enum that the node prints even when it is the default.
  const type = rest.type ?? ContractTypeSchema.value[0]?.name ?? ''
  const schema = contractSchema(type)
  const bytes = Buffer.from(parameter?.value ?? '', 'hex')
  return {
    ...rest,
    type,
    parameter: {
      ...(schema && { value: read(schema, bytes, type, spelling) }),
      type_url: parameter?.type_url ?? '',
    },
  }
}

function read(desc: DescMessage, bytes: Uint8Array, what: string, spelling?: Spelling) {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    return readFields(desc, sourceOf(buffer, spelling), 0, bytes.length)
  } catch (cause) {
    throw notOf(desc, what, cause)
  }
}

function readMessage<schema extends Parameters<typeof fromBinary>[0]>(
  schema: schema,
  bytes: Uint8Array,
  what: string,
) {
  try {
    return fromBinary(schema, bytes)
  } catch (cause) {
    throw notOf(schema, what, cause)
  }
}

function notOf({ name }: DescMessage, what: string, cause: unknown): TypeError {
  return new TypeError(`${what}: not a ${name} message`, { cause })
}
