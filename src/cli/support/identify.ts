import {
  type Abi,
  type Hex,
  keccak256,
  parseAbiParameters,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from 'viem'

import { signatureOf } from '../../codec/abi.ts'
import { recoverSigners } from '../../native/protobuf/signature.ts'
import {
  decodeTransaction,
  encodeTransaction,
  rawDataToJson,
  transactionId,
} from '../../native/protobuf/transaction.ts'
import type { Transaction } from '../../native/wire/types.ts'
import {
  type Decoded,
  decodeCalldata,
  decodeLog,
  decodeReturn,
  decodeRevert,
  describeRevert,
} from './abi.ts'
import { type AddressForms, tryAddress } from './address.ts'
import { group } from './amount.ts'
import { usageError } from './errors.ts'
import { textOf } from './node.ts'

/** The kind of an input and its decoded content. */
export type Finding =
  | { kind: 'address'; address: AddressForms }
  | {
      kind: 'native transaction'
      transaction: Transaction
      /** Accounts that signed, `41…`; empty when unsigned. */
      signers: string[]
      call: Decoded | undefined
    }
  | {
      kind: 'ethereum transaction'
      /** Its hash in Ethereum tools. */
      hash: Hex
      from: Hex | undefined
      fields: Record<string, unknown>
      call: Decoded | undefined
    }
  | { kind: 'revert' | 'call' | 'log'; decoded: Decoded; text: string }
  | { kind: 'returned values'; values: unknown[] }
  | { kind: 'words'; selector: Hex | undefined; words: string[]; note: string }
  | { kind: 'text'; text: string }

/**
 * Identifies an input: an address, a native or Ethereum transaction, revert data, call data, a log, returned values, text.
 *
 * @throws CommandError (usage) when it is none of them
 */
export async function identify(input: string, options: identify.Options): Promise<Finding> {
  const { abi, topics, returns } = options
  const text = input.trim()
  if (text.startsWith('{')) return identifyJson(text, options)
  const address = tryAddress(text)
  if (address) return { kind: 'address', address }
  const hex = text.replace(/^0x/i, '').toLowerCase()
  if (!/^([0-9a-f]{2})*$/.test(hex))
    throw usageError(
      /^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)
        ? 'this looks like an address, but its checksum is wrong'
        : /^[0-9a-f]*$/.test(hex)
          ? 'these hexadecimal digits are not whole bytes: their number is odd'
          : 'decode needs hexadecimal bytes, an address or a JSON object',
    )
  const data: Hex = `0x${hex}`
  if (topics.length > 0) return identifyLog({ topics, data }, abi)
  if (returns !== undefined) return { kind: 'returned values', values: readReturns(data, returns) }
  return (
    nativeTransaction(hex, abi) ??
    (await ethereumTransaction(data, abi)) ??
    revert(data, abi) ??
    call(data, abi) ??
    incomplete(data, abi) ??
    plainText(hex) ??
    words(data)
  )
}

export declare namespace identify {
  type Options = {
    abi: Abi
    /** Topics of a log whose data is the input. */
    topics: Hex[]
    /** Types of returned values, such as `uint256,address`. */
    returns: string | undefined
  }
}

function identifyJson(text: string, { abi }: identify.Options): Finding {
  let json: { topics?: Hex[]; data?: Hex; raw_data?: unknown; raw_data_hex?: string }
  try {
    json = JSON.parse(text) as typeof json
  } catch (error) {
    throw usageError(`the input is not JSON: ${(error as Error).message}`)
  }
  if (Array.isArray(json.topics) && typeof json.data === 'string')
    return identifyLog({ topics: json.topics, data: json.data }, abi)
  const found = json.raw_data_hex && nativeTransaction(encodeTransaction(json as Transaction), abi)
  if (found) return found
  throw usageError(
    'the JSON object is neither a log (topics, data) nor a native transaction (raw_data_hex)',
  )
}

function identifyLog(log: { topics: Hex[]; data: Hex }, abi: Abi): Finding {
  const decoded = decodeLog(log, abi)
  if (decoded) return { kind: 'log', decoded, text: decoded.signature }
  throw usageError(
    `no event of the ABI has topic ${log.topics[0]}; give --abi FILE or --sig 'event …'`,
  )
}

function nativeTransaction(hex: string, abi: Abi): Finding | undefined {
  const transaction = readNative(hex)
  if (!transaction) return undefined
  const value = transaction.raw_data.contract?.[0]?.parameter?.value
  const data = value?.['data']
  return {
    kind: 'native transaction',
    transaction,
    signers: signers(transaction),
    call: typeof data === 'string' ? decodeCalldata(`0x${data}`, abi) : undefined,
  }
}

/**
 * A whole transaction, or only the content that is signed. Other bytes may parse as protobuf by chance, so the content
 * must be plausible.
 */
function readNative(hex: string): Transaction | undefined {
  try {
    const transaction = decodeTransaction(hex)
    if (transaction.raw_data.contract?.[0]?.parameter?.type_url?.includes('protocol.'))
      return transaction
  } catch {
    // Not a whole transaction; it may be the content alone.
  }
  try {
    const raw_data = rawDataToJson(Buffer.from(hex, 'hex'))
    if (raw_data.contract?.[0]?.parameter?.type_url?.includes('protocol.'))
      return { txID: transactionId(hex), raw_data, raw_data_hex: hex }
  } catch {
    // Not a transaction.
  }
  return undefined
}

function signers(transaction: Transaction): string[] {
  try {
    return recoverSigners(transaction)
  } catch {
    return []
  }
}

async function ethereumTransaction(data: Hex, abi: Abi): Promise<Finding | undefined> {
  if (!/^0x(0[1-4]|[c-f])/.test(data)) return undefined
  try {
    const { data: input, ...fields } = parseTransaction(data as TransactionSerialized)
    const from = await recoverTransactionAddress({
      serializedTransaction: data as TransactionSerialized,
    }).catch(() => undefined)
    return {
      kind: 'ethereum transaction',
      hash: keccak256(data),
      from,
      fields: {
        ...Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [
            name,
            typeof value === 'bigint' ? value.toString() : value,
          ]),
        ),
        ...(input && { data: input }),
      },
      call: input && decodeCalldata(input, abi),
    }
  } catch {
    return undefined
  }
}

function revert(data: Hex, abi: Abi): Finding | undefined {
  const decoded = data.length % 64 === 10 ? decodeRevert(data, abi) : undefined
  return decoded && { kind: 'revert', decoded, text: describeRevert(data, abi).text }
}

function call(data: Hex, abi: Abi): Finding | undefined {
  const decoded = data.length % 64 === 10 ? decodeCalldata(data, abi) : undefined
  return decoded && { kind: 'call', decoded, text: decoded.signature }
}

/** A known selector whose arguments are missing or cut off. */
function incomplete(data: Hex, abi: Abi): Finding | undefined {
  const signature = signatureOf(data, abi)
  if (signature === undefined) return undefined
  const note =
    data.length === 10
      ? `the selector of ${signature}, without arguments`
      : `the selector of ${signature}, but the bytes after it are not its arguments; they may be cut off`
  return {
    kind: 'words',
    selector: data.slice(0, 10) as Hex,
    words: data.slice(10).match(/.{1,64}/g) ?? [],
    note,
  }
}

function plainText(hex: string): Finding | undefined {
  const text = textOf(hex)
  return hex !== '' && text !== hex && /[A-Za-z]{2}/.test(text) ? { kind: 'text', text } : undefined
}

function readReturns(data: Hex, types: string): unknown[] {
  let parameters
  try {
    parameters = parseAbiParameters(types)
  } catch {
    throw usageError(`--returns needs types such as "uint256,address", got "${types}"`)
  }
  try {
    return decodeReturn(data, parameters)
  } catch {
    throw usageError(`these ${group((data.length - 2) / 2)} bytes are not (${types})`)
  }
}

function words(data: Hex): Finding {
  const hex = data.slice(2)
  if (hex === '') throw usageError('there are no bytes to decode')
  const bytes = hex.length / 2
  const hasSelector = bytes % 32 === 4
  const body = hasSelector ? hex.slice(8) : hex
  return {
    kind: 'words',
    selector: hasSelector ? `0x${hex.slice(0, 8)}` : undefined,
    words: body.match(/.{1,64}/g) ?? [],
    note: hasSelector
      ? 'a call or error that is not in the ABI; give --abi FILE or --sig SIGNATURE'
      : bytes === 32
        ? blockNote(hex)
        : `${group(bytes)} bytes of unknown type; --returns TYPES decodes returned values`,
  }
}

/** The first eight bytes of a block hash are its height. */
function blockNote(hex: string): string {
  const height = BigInt(`0x${hex.slice(0, 16)}`)
  return height > 0n && height < 2n ** 40n
    ? `possibly the hash of block ${group(height)}`
    : 'a hash, a topic or a number; --returns uint256 decodes a number'
}
