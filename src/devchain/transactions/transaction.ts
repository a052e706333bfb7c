import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { AccessList } from 'viem'

import type { Spelling } from '../../native/protobuf/message.ts'
import {
  decodeTransaction,
  encodeResult,
  expirationOf,
  rawDataFromJson,
  type RawDataJson,
  rawDataToJson,
  transactionId,
} from '../../native/protobuf/transaction.ts'
import type { Transaction, TransactionResult } from '../../native/wire/types.ts'
import { createdByTransaction } from '../vm/createdAddress.ts'
import type { Authorization } from './authorization.ts'
import { readableContent } from './pack.ts'

/** A transaction of the chain: its exact bytes and its decoded fields. */
export type ChainTransaction = {
  id: string
  rawHex: string
  signatures: readonly string[]
  /** Contract type; empty if there is no contract. */
  type: string
  value: Readonly<Record<string, unknown>>
  permissionId: number
  contracts: number
  refBlockBytes: string
  refBlockHash: string
  expiration: number
  /** Sun. */
  feeLimit: bigint
  /** Memo, hex. */
  memo: string
  /** Length of the message without results, in bytes. */
  size: number
  /** Its fields as an Ethereum transaction, if it was sent as one. */
  ethereum?: EthereumTransaction
  /** Whether its owner was impersonated: then its signatures do not count. */
  impersonated?: true
}

/** An Ethereum transaction. Addresses are 42 hex characters, amounts the smallest unit of the chain. */
export type EthereumTransaction = {
  from: string
  /** Absent for a contract creation. */
  to?: string
  value: bigint
  /** Hex without `0x`. */
  data: string
  gas: bigint
  /** Maximum price of a unit of gas: `gasPrice` or `maxFeePerGas`. */
  maxPrice: bigint
  /** What the signed maximum price and tip have beyond whole units of the chain, in the signer's unit. */
  lost?: { price: bigint; tip: bigint }
  nonce: bigint
  /** Accounts and slots that the transaction pays for before it runs (EIP-2930). */
  accessList?: AccessList
  /** Of an EIP-7702 transaction. */
  authorizations?: readonly Authorization[]
  /** The address of the created contract, if it depends on sender and nonce. */
  creates?: string
  /** The signed values of fields that JSON-RPC shows unchanged. */
  fields: Readonly<Record<string, unknown>>
}

/**
 * Reads a serialised transaction, `0x` or not.
 *
 * @throws TypeError when the bytes are not a transaction.
 */
export function readTransaction(input: string | Uint8Array): ChainTransaction {
  return toChainTransaction(decodeTransaction(input))
}

/**
 * Packs a transaction from its JSON format. Like a node, it encodes the content from `raw_data` and ignores
 * `raw_data_hex`.
 *
 * @throws TypeError that names the field that cannot be encoded.
 */
export function packTransaction(json: Transaction): ChainTransaction {
  const raw = rawDataFromJson(readableContent(json.raw_data), { visible: json.visible })
  return ofContent(raw, json.signature)
}

/** A transaction with this content. */
function ofContent(raw: Buffer, signatures: readonly string[] = []): ChainTransaction {
  return toChainTransaction({
    txID: transactionId(raw),
    raw_data: rawDataToJson(raw),
    raw_data_hex: raw.toString('hex'),
    signature: signatures.map((hex) => Buffer.from(hex.replace(/^0x/i, ''), 'hex').toString('hex')),
  })
}

function toChainTransaction(json: Transaction): ChainTransaction {
  const raw = json.raw_data
  const contract = raw.contract?.[0]
  const signatures = json.signature ?? []
  return {
    id: json.txID,
    rawHex: json.raw_data_hex,
    signatures,
    type: contract?.type ?? '',
    value: contract?.parameter?.value ?? {},
    permissionId: contract?.Permission_id ?? 0,
    contracts: raw.contract?.length ?? 0,
    refBlockBytes: raw.ref_block_bytes ?? '',
    refBlockHash: raw.ref_block_hash ?? '',
    expiration: expirationOf(raw),
    feeLimit: BigInt(raw.fee_limit ?? 0),
    memo: raw.data ?? '',
    size: encode({ rawHex: json.raw_data_hex, signatures }).length,
  }
}

/** An unsigned transaction with one contract. */
export function buildTransaction(options: buildTransaction.Options): ChainTransaction {
  return ofContent(rawDataFromJson(contentOf(options)))
}

/**
 * The native form of an Ethereum transaction, with its hash and signature.
 *
 * @param options.contract - Its value as a decoded one has it: safe integers are numbers, and nothing is empty.
 */
export function wrapEthereum(
  { ethereum, id, signature }: wrapEthereum.Signed,
  options: buildTransaction.Options,
): ChainTransaction {
  const rawHex = rawDataFromJson(contentOf(options)).toString('hex')
  const signatures = [signature]
  return {
    id,
    rawHex,
    signatures,
    type: options.contract.type,
    value: options.contract.value,
    permissionId: 0,
    contracts: 1,
    refBlockBytes: options.ref_block_bytes,
    refBlockHash: options.ref_block_hash,
    expiration: options.expiration,
    feeLimit: options.feeLimit ?? 0n,
    memo: '',
    size: encode({ rawHex, signatures }).length,
    ethereum,
  }
}

export declare namespace wrapEthereum {
  /** `id` is the hash of the signed bytes, `signature` is r ‖ s ‖ v. */
  type Signed = { ethereum: EthereumTransaction; id: string; signature: string }
}

function contentOf({ contract, feeLimit, memo, ...rest }: buildTransaction.Options): RawDataJson {
  return {
    contract: [
      {
        type: contract.type,
        parameter: {
          type_url: `type.googleapis.com/protocol.${contract.type}`,
          value: contract.value,
        },
        ...(contract.permissionId && { Permission_id: contract.permissionId }),
      },
    ],
    ...rest,
    ...(memo && { data: memo }),
    ...(feeLimit && { fee_limit: feeLimit }),
  }
}

export declare namespace buildTransaction {
  type Options = {
    contract: { type: string; value: Record<string, unknown>; permissionId?: number }
    ref_block_bytes: string
    ref_block_hash: string
    expiration: number
    timestamp: number
    feeLimit?: bigint
    memo?: string
  }
}

/** A transaction in the node's format. `results` are those of its block, or the predicted ones while it is pending. */
export function printTransaction(
  transaction: ChainTransaction,
  results: TransactionResult[] | undefined,
  spelling: Spelling = {},
): Transaction {
  const owner = transaction.value['owner_address']
  const unsigned: Transaction = {
    txID: transaction.id,
    raw_data: rawDataToJson(Buffer.from(transaction.rawHex, 'hex'), spelling),
    raw_data_hex: transaction.rawHex,
    ...(transaction.type === 'CreateSmartContract' &&
      typeof owner === 'string' && {
        contract_address:
          transaction.ethereum?.creates ?? createdByTransaction(transaction.id, owner),
      }),
    ...(transaction.ethereum && { ethereum: transaction.ethereum.fields }),
  }
  const printed =
    transaction.signatures.length === 0
      ? unsigned
      : { signature: [...transaction.signatures], ...unsigned }
  return results ? { ret: results, ...printed } : printed
}

/** Length in bytes of a transaction with its results, as in a block. */
export function transactionBytes(
  transaction: ChainTransaction,
  results: TransactionResult[],
): Uint8Array {
  return encode(transaction, results)
}

/** Encodes the whole message from its encoded content. */
function encode(
  { rawHex, signatures }: Pick<ChainTransaction, 'rawHex' | 'signatures'>,
  results: readonly TransactionResult[] = [],
): Uint8Array {
  const writer = new BinaryWriter()
  const add = (field: number, bytes: Uint8Array) =>
    writer.tag(field, WireType.LengthDelimited).bytes(bytes)
  add(1, Buffer.from(rawHex, 'hex'))
  for (const signature of signatures) add(2, Buffer.from(signature, 'hex'))
  for (const result of results) add(5, encodeResult(result))
  return writer.finish()
}
